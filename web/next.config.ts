import type { NextConfig } from "next";

const config: NextConfig = {
  output: "export",
  basePath: "/research",
};

export default config;

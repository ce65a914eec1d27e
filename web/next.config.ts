import type { NextConfig } from "next";

const config: NextConfig = {
  output: "export",
  reactStrictMode: true,
  // `npm run check` does so; whoever only runs Sanbo need not wait for it.
  typescript: { ignoreBuildErrors: true },
};

export default config;

"use client";

import { ClusterPage } from "@/cluster/ClusterPage";
import "@/styles/lists.css";
import "@/styles/cluster.css";

/** Who works for this server, and what waits. */
export default function Cluster() {
  return <ClusterPage />;
}

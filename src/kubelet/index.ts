/** kubelet: the node agent. Door: its ports and how to build one. Walk it with docs/follow-a-pod.md. */
export * from './ports.ts';

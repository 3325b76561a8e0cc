/** kubelet: the node agent. Door: its ports and how to build one. Walk it with docs/follow-a-pod.md. */
export * from './ports.ts';
export { INSTANCE_LABEL } from './pleg/ownership.ts';
export { mountsUnder, parseMountPoints } from './volumes/mount-table.ts';

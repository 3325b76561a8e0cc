/**
 * cri: the runtime port and what implements it. The door exports the port alone; implementations are
 * `containerd/*.node.ts`, loaded by `main` by their own path.
 */
export * from './runtime.ts';
export { type ArchiveWatchOptions, watchArchives } from './containerd/watch-archives.ts';

/** csi: the port to plugins that serve storage. The door exports the port alone; `main` loads `grpc-plugins.node.ts`. */
export * from './plugins.ts';
export { MAX_TOLD_LENGTH, told } from './told.ts';

/** csi: the port to plugins that serve storage. The door exports the port alone; `main` loads `grpc-plugins.node.ts`. */
export * from './plugins.ts';

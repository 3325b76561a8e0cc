/** The protocols of exec, attach and port-forward: WebSocket, SPDY/3.1, and streams to carry them. Pure. */
export * from './duplex-pair.ts';
export * from './held-pings.ts';
export * from './idle-timeout.ts';
export * from './relay.ts';
export * from './spdy-frames.ts';
export * from './spdy-session.ts';
export * from './stuck-client.ts';
export * from './websocket-connection.ts';
export * from './websocket-frames.ts';
export * from './websocket-handshake.ts';
export { sha1 } from './sha1.ts';

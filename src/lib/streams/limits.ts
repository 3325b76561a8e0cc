/** Bounds of the streaming protocols. */

/** Longest message, as in upstream's WebSocket server. Messages pass in pieces and are never held as a whole. */
export const MAX_WEBSOCKET_MESSAGE_BYTES = 32 * 1024 * 1024;
/** Longest payload of a ping, pong or close (RFC 6455). */
export const MAX_WEBSOCKET_CONTROL_BYTES = 125;
/** Longest SPDY control frame, which is held until it is complete. Those of a runtime have some 100 bytes. */
export const MAX_SPDY_CONTROL_BYTES = 64 * 1024;
/** Bytes of one written DATA frame (its length has 24 bits); more are written as several frames. */
export const MAX_SPDY_DATA_BYTES = 64 * 1024;
/** Streams that one session may open in its life. */
export const MAX_SPDY_STREAMS = 1000;
/** Pings of a client that are held back at once; further ones are lost. */
export const MAX_HELD_PINGS = 16;

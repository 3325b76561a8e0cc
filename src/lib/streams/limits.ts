/** Bounds of the streaming protocols. */

/** Upstream's WebSocket server takes no longer message, either. Messages pass in pieces: this much is never held. */
export const MAX_WEBSOCKET_MESSAGE_BYTES = 32 * 1024 * 1024;
/** RFC 6455: a ping, pong or close carries no more. */
export const MAX_WEBSOCKET_CONTROL_BYTES = 125;
/** A SPDY frame that is no data is held whole until it is complete. Those of a runtime have some 100 bytes. */
export const MAX_SPDY_CONTROL_BYTES = 64 * 1024;
/** Of one DATA frame (its length has 24 bits); more is written as several. */
export const MAX_SPDY_DATA_BYTES = 64 * 1024;
/** Streams that one session opens in its life. */
export const MAX_SPDY_STREAMS = 1000;
/** Pings of a client that are held back at once; further ones are lost. */
export const MAX_HELD_PINGS = 16;

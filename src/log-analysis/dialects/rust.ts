/** Rust: panics with their place before the message or after it, and anyhow's numbered causes. */
import { anyOf } from '../any-of.ts';
import type { Dialect } from './dialect.ts';

export const rust: Dialect = {
  name: 'rust',
  recognises:
    /^thread '[^']*' (?:\(\d+\) )?panicked at|^note: run with `RUST_BACKTRACE|^stack backtrace:|^Error: \w+(?: \{|\()/,
  noise: anyOf(
    /^note: (?:run with|Some details are omitted|this)/,
    /^stack backtrace:/,
    /^Location:/,
    /^\d+: (?:std|core|rust_begin|_)/,
    /^fatal runtime error: failed to initiate panic/,
  ),
};

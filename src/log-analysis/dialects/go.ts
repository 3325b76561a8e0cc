/** Go: panics, and what `go run` adds. */
import { anyOf } from '../any-of.ts';
import type { Dialect } from './dialect.ts';

export const go: Dialect = {
  name: 'go',
  recognises: /^goroutine \d+ \[|^panic: |^fatal error: |^runtime: |^exit status \d+$|^\S+\.go:\d+|^http: /,
  noise: anyOf(
    /^exit status \d+$/,
    /^\[signal SIG/,
    /^\[recovered\]/,
    /^\[originating from/,
    /^runtime: (?:goroutine|g |gp|sp)/,
    /^rax /,
    /^r\w{1,2}\s+0x/,
    /^main\.\w+\(/,
    /^(?:go: downloading|go: finding)/,
  ),
  request: /^http: panic serving |^http: TLS handshake error|^http: superfluous|^http: Accept error/,
};

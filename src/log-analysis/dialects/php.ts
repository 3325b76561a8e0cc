/** PHP: the same error twice (log and output), stack traces, and php-fpm. */
import { anyOf } from '../any-of.ts';
import type { Dialect } from './dialect.ts';

export const php: Dialect = {
  name: 'php',
  recognises: anyOf(
    /^PHP (?:Fatal error|Parse error|Warning|Notice|Deprecated|Recoverable fatal error): /,
    /^(?:Fatal|Parse) error: .* in \S+\.php/,
    /^#\d+ .*\.php\(\d+\)/,
    /^#\d+ \{main\}/,
    /FPM initialization/,
    /\bfpm is running/,
  ),
  noise: /^Stack trace:|^#\d+ |^thrown in |^PHP Stack trace:|^PHP +\d+\. |^PHP (?:Deprecated|Notice): |^Deprecated: /,
  consequence: /^FPM initialization failed/,
  recovery: /\bready to handle connections|Development Server \(http/,
  decisive: /^(?:PHP )?(?:Fatal error|Parse error|Recoverable fatal error): /,
};

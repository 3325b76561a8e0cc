/** Shells: traces of `set -x`, and what a shell says about the command that failed. */
import type { Dialect } from './dialect.ts';

export const shell: Dialect = {
  name: 'shell',
  recognises: /^curl: \(\d{1,3}\) |^\+{1,3} \S|^(?:\/bin\/)?(?:ba|da|a|k|z)?sh: |: line \d+: |^\S+: \d+: /,
  noise: /^\+{1,4} |^(?:try|see) ['"`]?\S+ (?:--help|-h)|^usage: |^\(core dumped\)$/i,
  // What unpacks the answer of curl only sees that there is none.
  decisive:
    /^curl: \(\d{1,3}\) |: (?:line )?\d+: .*(?:not found|unbound variable|parameter not set|syntax error|bad substitution|Permission denied|No such file)/,
};

/** `$(NAME)` expansion of commands, arguments and environment values (upstream: third_party/forked/golang/expansion). Pure. */
import { EnvironmentError } from './environment-error.ts';

/**
 * Replaces each `$(NAME)` by `lookup(NAME)`. A name without a value stays as written, `$$` is a literal `$` (so that
 * `$$(NAME)` never expands), and an unclosed `$(` or a lone `$` stays. Expansion is not recursive.
 *
 * @param maxLength of the result, in characters: few variables that repeat each other would fill the memory
 * @throws EnvironmentError beyond it
 */
export function expand(
  text: string,
  lookup: (name: string) => string | undefined,
  maxLength = Number.POSITIVE_INFINITY,
): string {
  let out = '';
  let from = 0;
  const last = text.lastIndexOf(')');
  for (;;) {
    const at = text.indexOf('$', from);
    if (at < 0 || at + 1 >= text.length) return out + text.slice(from);
    out += text.slice(from, at);
    const next = text.charAt(at + 1);
    if (out.length > maxLength) throw new EnvironmentError(`it is longer than ${maxLength} characters once expanded`);
    const close = next === '(' && at < last ? text.indexOf(')', at + 2) : -1;
    if (close >= 0) {
      const name = text.slice(at + 2, close);
      out += lookup(name) ?? `$(${name})`;
      from = close + 1;
      continue;
    }
    out += next === '$' ? '$' : `$${next}`;
    from = at + 2;
  }
}

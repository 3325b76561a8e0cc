/** `$(NAME)` expansion of commands, arguments and environment values (upstream: third_party/forked/golang/expansion). Pure. */

/**
 * Replaces each `$(NAME)` by `lookup(NAME)`. A name without a value stays as written, `$$` is a literal `$` (so that
 * `$$(NAME)` never expands), and an unclosed `$(` or a lone `$` stays. Expansion is not recursive.
 */
export function expand(text: string, lookup: (name: string) => string | undefined): string {
  let out = '';
  let from = 0;
  for (;;) {
    const at = text.indexOf('$', from);
    if (at < 0 || at + 1 >= text.length) return out + text.slice(from);
    out += text.slice(from, at);
    const next = text.charAt(at + 1);
    const close = next === '(' ? text.indexOf(')', at + 2) : -1;
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

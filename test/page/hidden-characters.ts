/** Characters that no text on a page may hold: they control terminals, or change the direction of what stands around them. */

const HIDDEN = /(?![\t\n])[\p{Cc}\p{Bidi_Control}]/gu;

/** The code points of all that are in the text, once each. */
export function hiddenCharacters(text: string | null): readonly string[] {
  return [...new Set([...(text ?? '').matchAll(HIDDEN)].map(([each]) => `U+${each.codePointAt(0)?.toString(16)}`))];
}

/** Patterns with a line for each alternative, so that each can be read, moved and deleted by itself. Pure. */

/** Any of the parts, anywhere. All parts have the same flags; anything else is an error of the programmer. */
export function anyOf(...parts: readonly RegExp[]): RegExp {
  return join('', parts, '');
}

/** Any of the parts, as whole words. */
export function words(...parts: readonly RegExp[]): RegExp {
  return join(String.raw`\b(?:`, parts, String.raw`)\b`);
}

/** Any of the parts, from the begin of a word on. */
export function fromWord(...parts: readonly RegExp[]): RegExp {
  return join(String.raw`\b(?:`, parts, ')');
}

/** Any of the parts, as the first words of the text. */
export function firstWords(...parts: readonly RegExp[]): RegExp {
  return join('^(?:', parts, String.raw`)\b`);
}

/** Any of the parts, at the begin of the text. */
export function beginning(...parts: readonly RegExp[]): RegExp {
  return join('^(?:', parts, ')');
}

/** Any of the parts, as the whole text. */
export function whole(...parts: readonly RegExp[]): RegExp {
  return join('^(?:', parts, ')$');
}

function join(before: string, parts: readonly RegExp[], after: string): RegExp {
  const flags = parts[0]?.flags ?? '';
  if (parts.some((part) => part.flags !== flags)) throw new TypeError('the parts of a pattern have different flags');
  return new RegExp(before + parts.map(({ source }) => source).join('|') + after, flags);
}

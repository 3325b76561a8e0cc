/** Says what is odd about the content of a configuration, so that its values need not be kept or shown. Pure. */

/** That is odd for the value of a variable, and not for a file. */
export const LINE_END = 'ends with a line end';
/** What is read of one content. */
const MAX_READ = 256 * 1024;
/** A text that was meant to have several lines is longer than this. */
const LONG_LINE = 60;
const YAML = /\.ya?ml$/i;
/** Formats in which a line end parts one setting from the next. */
const BY_LINES = /\.(?:ya?ml|ini|toml|properties|env|cnf)$|^redis.*\.conf$|\.cfg$/i;

/**
 * What is odd, as the rest of a sentence about the file: "is empty". Undefined: nothing is.
 *
 * @param name of the key or file, whose ending tells the format
 */
export function oddContent(name: string, given: string): string | undefined {
  const text = given.slice(0, MAX_READ);
  if (/^[^\r\n]{1,1000}\r?\n$/.test(text) && !name.includes('.')) return LINE_END;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const [first = ''] = lines;
  if (lines.length === 0) return 'is empty';
  if (lines.every((line) => /^\s*(?:#|;|\/\/)/.test(line)) && !first.startsWith('#!')) {
    return lines.length === 1 && first.length > LONG_LINE
      ? 'is a single line that begins with a comment, so that nothing of it counts'
      : 'has only comments';
  }
  if (text.startsWith('\uFEFF')) return 'begins with a byte order mark';
  if (lines.length === 1 && /\\n/.test(first) && !/^\s*[[{"]/.test(first))
    return 'is a single line, in which \\n stands as two characters instead of a line end';
  if (/\r\n/.test(text)) return 'has Windows line ends (CR LF)';
  if (lines.length === 1 && first.length > LONG_LINE && BY_LINES.test(name) && !/^\s*[[{]/.test(first))
    return 'is a single line, although its format wants one for each setting';
  const tab = YAML.test(name) ? text.split('\n').findIndex((line) => /^ *\t+\s*\S/.test(line)) : -1;
  if (tab !== -1) return `has a tab before its words in line ${tab + 1}, which YAML does not allow`;
  return undefined;
}

/** What is odd about a value of a Secret. */
export function oddSecret(name: string, value: string): string | undefined {
  const inner = isBase64(value) ? Buffer.from(value, 'base64').toString('utf8') : undefined;
  if (inner !== undefined && isReadable(inner)) return 'is encoded twice (its value is base64 again)';
  return oddContent(name, value);
}

function isBase64(value: string): boolean {
  const flat = value.slice(0, MAX_READ).replaceAll(/\s+/g, '');
  return flat.length >= 12 && flat.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(flat);
}

/** Random bytes are hardly ever text. */
function isReadable(text: string): boolean {
  return /^[\t\n\r\u{20}-\u{7e}]+$/u.test(text);
}

/** Names that something was meant to fill in: ${DB_HOST}, $(DB_HOST), {{ .Values.host }}, <%= host %>, @HOST@, __HOST__. */
const PLACEHOLDER =
  /\$\{[A-Za-z_]\w{1,60}\}|\$\([A-Z_][A-Z0-9_]{1,60}\)|\{\{[^{}\n]{1,60}\}\}|<%=[^%\n]{1,60}%>|@[A-Z][A-Z0-9_]{2,60}@|__[A-Z][A-Z0-9_]{1,60}__/;

/** The first placeholder in a line. */
export function placeholderIn(line: string): string | undefined {
  return PLACEHOLDER.exec(line)?.[0];
}

/** Reads what TiDB, TiKV and PD write behind time, level and place: `["cannot open"] [path=/data] [err="permission denied"]`. Pure. */

const MESSAGE = /^\[(?:"((?:[^"\\]|\\.){1,2000})"|([A-Za-z][^\]"=]{0,300}))\](?= \[|$)/;
const ERROR = / \[(?:err|error|cause)=(?:"((?:[^"\\]|\\.){1,2000})"|([^\]"]{1,500}))\]/;
const FIELDS = /(?: \[[\w. -]{1,60}=(?:"(?:[^"\\]|\\.){0,2000}"|[^\]"]{0,500})\]){1,20}$/;

/** "cannot open: permission denied"; the text itself where it has another form. */
export function withoutBrackets(text: string): string {
  if (!text.startsWith('[')) return text;
  const match = MESSAGE.exec(text);
  // A word in brackets alone is a head of another logger.
  if (match === null || (match[1] === undefined && !FIELDS.test(text))) return text;
  const message = unescaped(match[1] ?? match[2] ?? '');
  const [, quoted, bare] = ERROR.exec(text) ?? [];
  const error = quoted === undefined ? bare : unescaped(quoted);
  return error === undefined || message.includes(error) ? message : `${message}: ${error}`;
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(["\\])/g, '$1');
}

/** A line of a log without colours, control characters and what exceeds the bounds. Pure. */
import { MAX_STRUCTURED_CHARACTERS } from './limits.ts';

const ESCAPE = 27;
/** The one-character form of ESC [. */
const CSI = 0x9b;

/** The text without escape sequences of terminals (CSI, OSC) and other control characters; tabs stay. Linear. */
export function plainLine(line: string): string {
  const text = line.length > MAX_STRUCTURED_CHARACTERS ? line.slice(0, MAX_STRUCTURED_CHARACTERS) : line;
  // oxlint-disable-next-line no-control-regex -- the pattern is about control characters
  if (!/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/.test(text)) return withoutBox(text.trimEnd());
  let out = '';
  let from = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 9 || (code >= 32 && code < 127) || code > 159) continue;
    out += text.slice(from, index);
    if (code === CSI) index = endOfSequence(text, index + 1) - 1;
    else if (code === ESCAPE) index = endOfEscape(text, index) - 1;
    // A progress bar returns to the beginning of its line; the last state counts, unless a failure stands before it, as in a text of HTTP.
    else if (code === 13 && index < text.length - 1) out = FAILURE.test(out) ? `${out} ` : '';
    from = index + 1;
  }
  return withoutBox((out + text.slice(from)).trimEnd());
}

/** What a progress bar does not say. */
const FAILURE = /\b(?:error|fail(?:ed|ure|s)?|denied|refused|invalid|forbidden|unauthori[sz]ed|cannot|could not)\b/i;

/** The text without the lines of a box around it: "│ Error: no plan │". */
function withoutBox(text: string): string {
  if (!BOX_EDGE.test(text) || VALUE.test(text)) return GROUP_RULE.test(text) ? '' : text.replace(GROUP_EDGE, '');
  let end = text.length;
  while (end > 0 && /[\u2500-\u257f]/.test(text[end - 1] ?? '')) end -= 1;
  return text.slice(0, end).replace(BOX_EDGE, '').trimEnd();
}

/** A value below a line of code in a trace: "    │    └ <socket …>". */
const VALUE = /^ {4,}(?:│ {0,60}){0,20}└ /;
const BOX_EDGE = /^\s{0,8}[\u2500-\u257f]{1,300}[▶►]? ?/;
/** "  +-+---------------- 1 ----------------" */
const GROUP_RULE = /^ {2,20}\+[+-]{2,60}(?: (?:\d{1,4}|\.{3}) -{4,40})?$/;
/** The edge that Python draws before the errors of a group. */
const GROUP_EDGE =
  /^ {2,20}[|+] (?= {0,8}(?:File "|Traceback \(most|Exception Group Traceback|raise |[\w.]{1,100}(?:Error|Exception|Group)\b))/;

/** The index after the escape sequence that begins at `start`. */
function endOfEscape(text: string, start: number): number {
  const kind = text[start + 1];
  if (kind === '[') {
    return endOfSequence(text, start + 2);
  }
  if (kind === ']') {
    let index = start + 2;
    while (index < text.length && text.charCodeAt(index) !== 7 && text.charCodeAt(index) !== ESCAPE) index += 1;
    return text.charCodeAt(index) === ESCAPE ? index + 2 : index + 1;
  }
  return kind === '(' || kind === ')' ? start + 3 : start + 2;
}

function endOfSequence(text: string, start: number): number {
  let index = start;
  while (index < text.length && /[0-9;?:<=>! "#$%&'()*+,\-./]/.test(text[index] ?? '')) index += 1;
  return index + 1;
}

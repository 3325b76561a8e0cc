/** Texts from outside as they may be shown: nothing in them can reorder, hide or move what stands beside. Pure. */
import { MAX_TEXT } from './limits.ts';

/**
 * Characters without a look of their own, but for line feed and tab: controls, marks that change the direction of a text, spaces
 * and joiners without width, tags, and halves of a pair that stand alone.
 */
const INVISIBLE = new RegExp(
  [
    String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f`,
    String.raw`\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}\ud800-\udfff]`,
  ].join(''),
  'gu',
);

/**
 * The text with each such character named: "a\u202eb" becomes "a⟨202E⟩b".
 *
 * @param limit characters; a longer text is cut, and says so
 */
export function visible(text: string, limit: number = MAX_TEXT): string {
  const cut = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return cut.replaceAll('\r\n', '\n').replace(INVISIBLE, named);
}

/** The same on one line: a name or a headline, where a line feed would forge a second one. */
export function visibleLine(text: string, limit: number = MAX_TEXT): string {
  return visible(text, limit).replace(/\n/g, named).replace(/\t/g, ' ');
}

function named(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `⟨${code
    .toString(16)
    .toUpperCase()
    .padStart(code < 0x100 ? 2 : 4, '0')}⟩`;
}

/** Breaks a long line at its blanks for a terminal, so that what follows stands below the beginning of its words. Pure. */

/** Below this width nothing is broken: a terminal that is so narrow breaks by itself. */
const MIN_COLUMNS = 60;

/**
 * @param indent columns before the text, which the caller prints before the first line
 * @param columns the terminal's width; absent: no terminal
 * @returns the lines of the text without their indentation; a word that is longer than a line has one of its own
 */
export function wrapLine(text: string, indent: number, columns: number | undefined): readonly string[] {
  if (columns === undefined || columns < MIN_COLUMNS) return [text];
  const width = columns - indent;
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

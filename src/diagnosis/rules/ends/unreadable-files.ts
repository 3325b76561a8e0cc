/** Rule: a program cannot open a file that is there, and whose mode keeps its user out, though it does not say so. */
import { fileNear } from '../../../log-analysis/index.ts';
import { endedByItself, lastWord, rankOfWord } from '../../facts/words/last-words.ts';
import { quotable } from '../../facts/words/text.ts';
import { isUnreadable } from '../../facts/files/volume-modes.ts';
import { eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { commandForLog, explainedEnd, title } from './exit-code.ts';
import { keptFrom, userFields } from './permissions.ts';

const CANNOT_OPEN =
  /\b(?:unable|cannot|can't|could not|couldn't|failed|failure|error) (?:to |while |when )?(?:open|read|load|access|use|get|pars|import)(?:e|ing)?\b/i;
/** Another rule tells of what the system says. */
const IS_TOLD = /permission denied|not permitted|\bEACCES\b|\bEPERM\b|access (?:is )?denied/i;

export const unreadableFiles: PodRule = eachContainer((facts, container) => {
  const word = endedByItself(container) ? lastWord(container, CANNOT_OPEN) : undefined;
  if (word === undefined || IS_TOLD.test(word.line)) return NOTHING;
  const file = fileNear(word.line, word.match.index);
  if (file === undefined || !isUnreadable(facts, container, file)) return NOTHING;
  return [
    explainedEnd(facts, container, {
      id: 'permission-denied',
      rank: rankOfWord(85, word),
      says: `${title(container)} may not read ${file}${keptFrom(facts, container, file)}: ${quotable(word.line).replace(/\.+$/, '')}`,
      line: word.line,
      more: userFields(facts, container),
      try: [commandForLog(facts, container), ...facts.commands.edit],
    }),
  ];
});

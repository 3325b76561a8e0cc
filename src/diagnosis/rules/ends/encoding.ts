/** Rule: a program stumbles over line ends, a byte order mark, text in another encoding, or a locale that its image lacks. */
import { anyOf } from '../../../log-analysis/index.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { endedByItself, type LastWord, lastWord, rankOfWord } from '../../facts/words/last-words.ts';
import { placeOf } from '../../facts/files/mounts.ts';
import { fileNear } from '../../../log-analysis/index.ts';
import { quotable } from '../../facts/words/text.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import type { Quote, RankedFinding } from '../../finding.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { argumentsOf, commandForLog, explainedEnd, title } from './exit-code.ts';

/** A name that ends with a carriage return, as bash quotes it, as old shells print it, or itself before a colon. */
const LINE_ENDS =
  /\^M: bad interpreter|\$'[^']{0,200}\\r'|[\w/.-]\\r['’"]|[\w/.'"-]\r['’"]?:|: set: (?:line \d+: )?(?:-: invalid option|[Ii]llegal option -\s*$)/;
/** The file in which the line ends are, before the line's number or the bad interpreter. */
const SCRIPT =
  /^(\S+): \w+: line \d+: |^(?:\S+: )?["']?([\w./-]*[\w-](?:\.\w+)?)["']?: (?:line )?\d+: |(\S+): \S+\^M: bad interpreter/;
const MARK =
  /\bBOM\b|byte order mark(?! not)|Unexpected token '\s?', |\uFEFF|65279|0xfeff|\\ufeff|invalid character 'ï' looking for beginning of value/i;
const LOCALE = anyOf(
  /unsupported locale setting/i,
  /invalid locale (?:name|settings)/i,
  /locale::facet::_S_create_c_locale name not valid/i,
  /database locale is incompatible/i,
  /was configured to use ASCII as encoding/i,
  /cannot change locale/i,
  /failed to set (?:the )?locale/i,
  /locale ["']?[\w.@-]+["']? (?:is )?not (?:supported|available|found)/i,
);
const TEXT = anyOf(
  /Unicode(?:Decode|Encode)Error/i,
  /\bcodec can't (?:de|en)code/i,
  /invalid byte sequence (?:in|for encoding)/i,
  /MalformedInputException/i,
  /UnmappableCharacterException/i,
  /did not contain valid UTF-8/i,
  /invalid (?:continuation|start) byte/i,
  /incompatible character encodings/i,
  /invalid UTF-?8/i,
  /Encoding::\w+Error/i,
);
const LOCALE_VARIABLES = /^(?:LANG|LANGUAGE|LC_[A-Z]+|PYTHONIOENCODING|PYTHONUTF8|JAVA_TOOL_OPTIONS)$/;

const ofContainer: ContainerRule = (facts, container) => {
  if (!endedByItself(container)) return NOTHING;
  const lineEnds = lastWord(container, LINE_ENDS);
  if (lineEnds !== undefined) return [ofLineEnds(facts, container, lineEnds)];
  if ([126, 127, 128].includes(container.death?.exitCode ?? 0)) return NOTHING;
  const mark = lastWord(container, MARK);
  if (mark !== undefined) {
    return [
      said(facts, container, mark, 'reads a file that begins with a byte order mark, which its format does not allow'),
    ];
  }
  const locale = lastWord(container, LOCALE);
  if (locale !== undefined) return [said(facts, container, locale, ofLocale(container))];
  const text = lastWord(container, TEXT);
  return text === undefined ? NOTHING : [said(facts, container, text, ofText(text, container))];
};

export const encoding: PodRule = eachContainer(ofContainer);

function ofLineEnds(facts: PodFacts, container: ContainerFacts, word: LastWord): RankedFinding {
  const found = SCRIPT.exec(word.line);
  const script = found?.[1] ?? found?.[2] ?? found?.[3];
  const place = script?.startsWith('/') === true ? placeOf(facts, container, script) : undefined;
  const what = script === undefined ? 'a script' : `${script}${place === undefined ? '' : ` ${place.where}`}`;
  return explainedEnd(facts, container, {
    id: 'encoding',
    // The names that a shell did not find then are no names of commands.
    rank: rankOfWord(94, word),
    says: `${title(container)} fails because ${what} has Windows line ends (CR LF): ${shown(word.line)}`,
    line: word.line,
    more: [...(place?.quotes ?? []), ...argumentsOf(container)],
    try: [commandForLog(facts, container), ...facts.commands.edit],
  });
}

function said(facts: PodFacts, container: ContainerFacts, word: LastWord, what: string): RankedFinding {
  const file = fileNear(word.line, word.match.index);
  const place = file === undefined ? undefined : placeOf(facts, container, file);
  return explainedEnd(facts, container, {
    id: 'encoding',
    rank: rankOfWord(86, word),
    says: `${title(container)} ${what}: ${shown(word.line)}`,
    line: word.line,
    more: [...(place?.quotes ?? []), ...locales(container)],
    try: [commandForLog(facts, container), ...facts.commands.edit],
  });
}

/** The line with its invisible characters named. */
function shown(line: string): string {
  return quotable(line.replaceAll('\uFEFF', String.raw`\ufeff`).replaceAll('\r', String.raw`\r`)).replace(/\.+$/, '');
}

function ofLocale({ spec }: ContainerFacts): string {
  const [asked] = (spec.env ?? []).filter(
    ({ name, value }) => /^(?:LC_ALL|LANG|LC_\w+)$/.test(name) && value !== undefined,
  );
  const which = asked === undefined ? '' : ` (${asked.name}=${asked.value})`;
  return `asks for a locale that its image does not have${which}`;
}

function ofText({ line }: LastWord, { spec }: ContainerFacts): string {
  if (/ascii|US-ASCII/i.test(line)) {
    // LC_ALL rules over LANG.
    const set = (spec.env ?? []).find(({ name, value = '' }) => name === 'LC_ALL' && value !== '')?.value;
    const locale = set === undefined ? 'says no UTF-8: LANG' : `is LC_ALL=${quotable(set)}: LC_ALL`;
    return `takes text for ASCII that is not (its locale ${locale}=C.UTF-8 would)`;
  }
  if (/byte 0xff in position 0|0xff 0xfe/i.test(line)) return 'takes text for UTF-8 that begins like UTF-16';
  return 'reads text that is not in the encoding that it expects';
}

/** Variables of the locale; their values are no secrets. */
function locales({ spec, path }: ContainerFacts): readonly Quote[] {
  return (spec.env ?? []).flatMap(({ name, value }, index): readonly Quote[] =>
    LOCALE_VARIABLES.test(name) && value !== undefined
      ? [{ source: 'field', path: `${path}.env[${index}] (${name})`, value: quotable(value) }]
      : [],
  );
}

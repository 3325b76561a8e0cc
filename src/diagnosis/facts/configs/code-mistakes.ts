/** Names the ConfigMap of the code that a language cannot read: a mistake of its syntax is mended there. Pure. */
import { codeTexts, placesIn } from '../variables/code-variables.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';

/** What compilers and interpreters say of text that is none of their language. */
const MISTAKE =
  /SyntaxError|IndentationError|TabError|syntax error|parse error|ParseError|unexpected (?:token|end|identifier|character|indent)|unterminated|missing (?:\)|\}|semicolon|parenthesis)|unclosed|cannot find symbol|undefined reference|undeclared|not declared|compil(?:e|ation) (?:error|failed)|expected .{1,40} (?:before|but|,|found)/i;

/** What a program reads, and is not made of. */
const OF_DATA = /\bJSON|ya?ml|\btoml\b|\bxml\b|\bSQL\b|\bconfig/i;

/** "run.py is of ConfigMap runner-files"; undefined: the error is another, or its place is in no ConfigMap. */
export function mistakenCode(facts: PodFacts, container: ContainerFacts, says: string): string | undefined {
  const { decisive } = container.reading;
  if (
    decisive === undefined ||
    OF_DATA.test(decisive.line) ||
    ![decisive.line, ...decisive.related].some((line) => MISTAKE.test(line))
  )
    return undefined;
  const texts = codeTexts(facts, container);
  const said = [decisive.line, decisive.place ?? '', ...decisive.related].join('\n');
  const [found] = placesIn(said, texts);
  if (found?.of === undefined || says.includes(found.of)) return undefined;
  return `${found.file} is of ${found.of}`;
}

/** Finds the variables that a container's own code reads: that of its ConfigMaps, and scripts that its command has in it. Pure. */
import { fillersOf } from '../configs/copied-configs.ts';
import { isCode } from '../configs/config-files.ts';
import { configMapsOf } from '../configs/config-references.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';

export interface CodeText {
  /** "main.rs", "its command" */
  readonly file: string;
  /** "ConfigMap app-files"; absent: the command itself. */
  readonly of?: string;
  readonly lines: readonly string[];
}

export interface CodeRead {
  readonly name: string;
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** The names that the code gives to the value: "dsn" of `let dsn = env::var("DSN")`. */
  readonly assigned: readonly string[];
  /** Whether something stands for a value that is not there. */
  readonly hasDefault: boolean;
}

/** How languages read a variable whose name stands in the code. */
const READS =
  /(?:\benviron(?:\.get)?[[(]\s?|\bgetenv[ (]\(?|\bprocess\.env\.(?=[A-Za-z_])|\bprocess\.env\[|\bENV(?:\.fetch)?[[(]|\bGetenv\(|\bLookupEnv\(|\benv::var(?:_os)?\(|\$_(?:ENV|SERVER)\[|\$ENV\{|\bSys\.getenv(?:_opt)?[ (]\(?|\bGetEnvironmentVariable\(|\bSystem\/getenv |\bposix-getenv |\blookupEnv |\bgetEnv |\bsys\.env(?:\.get|\.getOrElse)?\(|\bget_env\(|\$(?:::)?env\(|\bENVIRON\[|\benv\.get\(|\bfetch_env!?\(|\benv\(|\bSystem\.env\.|\benvironment\[)["']?([A-Z_][A-Z0-9_]{1,100})\b/g;
/** "const { DB_URL, PORT: port } = process.env" */
const TAKEN_APART = /\{([^{}\n]{1,400})\}\s*=\s*process\.env\b/g;
/** A name in quotation marks that looks like a variable's: what a helper of the code itself reads. */
const NAMED = /["'`]([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)["'`]/g;
/** What stands for a value that is not there, after the read. */
const DEFAULT =
  /^["'}\])\s]*(?:,\s*[^)\s]|\|\||\?\?|\?:|\/\/|\bor\b|\.(?:unwrap_or|getOrElse|orElse|get_or)|\.?default|:-|\?(?!\.))/;
/** "let dsn = ", "my $u=", "String s = ", "x := ", "(define x " before the read. */
const ASSIGNED =
  /(?:\$?([A-Za-z_]\w{0,60})(?:\s?:\s?[\w<>&'?]{1,40})?\s*:?=(?![=>])|\(define ([\w-]{1,60}) |\bset ([\w]{1,60}) )/g;
const MAX_LINES = 2000;
const MAX_READS = 200;

/** The code of the ConfigMaps that the container uses, or an init container that fills a volume for it, and its command. */
export function codeTexts({ evidence, pod }: PodFacts, { spec }: ContainerFacts): readonly CodeText[] {
  const maps = configMapsOf(pod, [spec, ...fillersOf(pod, spec)]);
  const files = maps.flatMap(({ name }): readonly CodeText[] => {
    const known = evidence.configs.find((config) => config.kind === 'ConfigMap' && config.name === name);
    const code = Object.entries(known?.texts ?? {}).filter(([key]) => isCode(key));
    return code.map(([file, text]) => ({ file, of: `ConfigMap ${name}`, lines: linesOf(text) }));
  });
  const command = [...(spec.command ?? []), ...(spec.args ?? [])].filter((text) => text.includes(' ')).join('\n');
  return command === '' ? files : [...files, { file: 'its command', lines: linesOf(command) }];
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').slice(0, MAX_LINES);
}

/** What the code reads by a name that stands in it, in the order of the code. */
export function variablesRead(texts: readonly CodeText[]): readonly CodeRead[] {
  return texts
    .flatMap(({ file, lines }) =>
      lines.flatMap((text, index) => readsIn(text).map((one) => ({ ...one, file, line: index + 1 }))),
    )
    .slice(0, MAX_READS);
}

function readsIn(text: string): readonly Pick<CodeRead, 'name' | 'assigned' | 'hasDefault'>[] {
  const reads = [...text.matchAll(READS)];
  const all = reads.map((match, at) => {
    const [whole, name = ''] = match;
    const from = reads[at - 1];
    const before = text.slice(from === undefined ? 0 : from.index + from[0].length, match.index);
    const assigned = [...before.matchAll(ASSIGNED)].at(-1);
    const end = match.index + whole.length;
    return {
      name,
      assigned:
        assigned === undefined ? [] : [assigned[1] ?? assigned[2] ?? assigned[3] ?? ''].filter((one) => one !== ''),
      hasDefault: DEFAULT.test(text.slice(end, end + 60)),
    };
  });
  return [...all, ...takenApart(text)];
}

/** What is taken of all variables at once. */
function takenApart(text: string): readonly Pick<CodeRead, 'name' | 'assigned' | 'hasDefault'>[] {
  return [...text.matchAll(TAKEN_APART)].flatMap(([, inner = '']) =>
    inner.split(',').flatMap((part) => {
      const [, name, renamed, given] = /^\s*([A-Z_][A-Z0-9_]*)\s*(?::\s*(\w{1,60}))?\s*(=.*)?$/.exec(part) ?? [];
      return name === undefined ? [] : [{ name, assigned: [renamed ?? name], hasDefault: given !== undefined }];
    }),
  );
}

/** All names that the code mentions as those of variables: what it reads, and what it names to helpers of its own. */
export function variablesMentioned(texts: readonly CodeText[]): ReadonlySet<string> {
  const named = texts.flatMap(({ lines }) =>
    lines.flatMap((text) => [...text.matchAll(NAMED)].flatMap(([, name]) => name ?? [])),
  );
  return new Set([...variablesRead(texts).map(({ name }) => name), ...named]);
}

/** A place in code: "/app/m.rs:2:90", "at /app/w.pl line 4", "s.js:1", "File "a.py", line 7", "in /app/b.php:5", "(b.php on line 3)". */
const PLACE = /([\w@%+.-]{1,100}\.[A-Za-z]{1,6})(?:["')\]]{0,2}:(\d{1,6})|["']?,? (?:on |at )?line (\d{1,6}))/g;

/** The lines of the code that a text names by file and number; of two files with one name none. */
export function placesIn(said: string, texts: readonly CodeText[]): readonly (CodeText & { readonly line: number })[] {
  return [...said.matchAll(PLACE)].flatMap(([, file, a, b]) => {
    const [only, ...more] = texts.filter((text) => text.file === file);
    return only === undefined || more.length > 0 ? [] : [{ ...only, line: Number(a ?? b) }];
  });
}

/**
 * What the code reads on one of its lines, or has read for a name that the line uses.
 *
 * @param line counted from 1
 */
export function readAt(texts: readonly CodeText[], file: string, line: number): readonly CodeRead[] {
  const all = variablesRead(texts).filter((read) => read.file === file);
  const own = all.filter((read) => read.line === line);
  if (own.length > 0) return own;
  const text = texts.find((each) => each.file === file)?.lines[line - 1] ?? '';
  const words = new Set(text.match(/[A-Za-z_]\w{0,60}/g) ?? []);
  return all.filter(({ assigned }) => assigned.some((name) => words.has(name)));
}

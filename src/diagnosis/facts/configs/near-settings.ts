/** Finds the name that is nearly the one that an error does not find: of a section, a setting or an item of a list. Pure. */
import { nearNames } from '../../../lib/index.ts';
import { namesDefined } from './setting-names.ts';
import { hasWord } from '../words/text.ts';

/** A text in which names are defined, and how it is told. */
export interface NamingText {
  /** "its variable PEERS", "its configuration /etc/a.conf, of ConfigMap a," */
  readonly says: string;
  readonly text: string;
  /** A list of names, such as a variable's "a=1,b=2", and no file. */
  readonly isList: boolean;
}

export interface NearSetting {
  readonly name: string;
  readonly from: NamingText;
  /** Of a file, counted from 1. */
  readonly line?: number;
}

/** What is said of a name that is not there. */
const IS_ABSENT =
  /not found|no such|unknown|(?:could|can|did|does|do)(?:n['’]t| ?not) (?:find|have|exist|know|contain|match)|could not be (?:found|located|resolved)|cannot find|(?:unable|failed) to (?:find|locate|resolve)|undefined|undeclared|unrecogni[sz]ed|not (?:defined|declared|known|configured|registered|listed)|no \S{1,40} (?:named|called)|is not (?:a )?(?:known|configured|defined|valid)|\binvalid\b|\bmissing\b/i;
const QUOTED = /(?<!\w)'([^'\n]{1,100})'(?!\w)|"([^"\n]{1,100})"|`([^`\n]{3,100})`|[[(]([\w.:/@-]{3,100})[\])]/g;
/** "Unknown module: backups", "no such remote backups" */
const AFTER =
  /(?:unknown|no such|undefined|unrecogni[sz]ed|invalid) (?:\w{2,20} ){0,2}?(?:named |called )?[:=]? ?([\w.-]{4,60})(?=[\s.,;:)]|$)/gi;
/** What is missing, and not how it is called: "no such database: shop". */
const KIND =
  /^(?:database|user|role|host|option|key|file|table|module|section|backend|server|topic|queue|bucket|command|service|variable|setting|type|name|value)s?$/i;
const MAX_WORDS = 12;
const MIN_WORD = 4;
const MIN_COMPARED = 6;
/** One letter of so many may differ. */
const ONE_IN = 6;
/** Lines of a file that are looked at. */
const MAX_LINES = 1000;

/** The only name that nearly is the one that the error misses; undefined: there is none, or the name itself is there. */
export function nearSetting(said: string, texts: readonly NamingText[]): NearSetting | undefined {
  if (!IS_ABSENT.test(said)) return undefined;
  const words = wordsOf(said);
  if (words.length === 0) return undefined;
  const defined = texts.flatMap((from) => definedIn(from));
  for (const word of words) {
    // What is there is not what is missed.
    if (defined.some(({ name }) => name === word)) continue;
    // A word of its texts is perhaps a value; with other signs between its letters it is the name.
    const isThere = texts.some(({ text }) => hasWord(text, word));
    const near = defined.filter(({ name }) => (isThere ? plain(word) === plain(name) : isNear(word, name)));
    const [first, ...more] = near;
    if (first !== undefined && more.every(({ name }) => name === first.name)) return first;
  }
  return undefined;
}

/** What NGINX puts behind its errors: the request is no name that is missed. */
const OF_REQUEST = /, (?:client|server|request|upstream|host|referrer): (?:"[^"]{0,500}"|[^",]{0,200})/g;

function wordsOf(given: string): readonly string[] {
  const said = given.replaceAll(OF_REQUEST, '');
  const quoted = [...said.matchAll(QUOTED)].flatMap(([, a, b, c, d]) => a ?? b ?? c ?? d ?? []);
  const named = [...said.matchAll(AFTER)].flatMap(([, name]) => name ?? []);
  const parts = quoted.flatMap((each) => [each, ...each.split(/[:/,=\s@]+/)]);
  return [...new Set([...parts, ...named])]
    .filter((word) => word.length >= MIN_WORD && !KIND.test(word) && /^[\w.-]+$/.test(word) && !/^[\d.]+$/.test(word))
    .slice(0, MAX_WORDS);
}

function definedIn(from: NamingText): readonly NearSetting[] {
  if (from.isList) return listed(from.text).map((name) => ({ name, from }));
  return from.text
    .split('\n')
    .slice(0, MAX_LINES)
    .flatMap((line, index) => namesDefined(line).map((name) => ({ name, from, line: index + 1 })));
}

/** The items of a list, or the names of its pairs. */
function listed(text: string): readonly string[] {
  return text
    .slice(0, 2000)
    .split(/[,;\s]+/)
    .flatMap((item) => /^["']?([\w.-]{2,60})["']?(?:[=:].*)?$/.exec(item)?.[1] ?? []);
}

/** "off-site" and "offsite", "backup" and "backups". */
function isNear(word: string, name: string): boolean {
  if (name.length < MIN_WORD - 1 || Math.abs(word.length - name.length) > 2) return false;
  if (plain(word) === plain(name)) return true;
  // Names of members of a cluster differ in their numbers, and short words mean other things with another letter.
  if (word.length < MIN_COMPARED || (/\d$/.test(word) && /\d$/.test(name))) return false;
  return nearNames(word, [name], ONE_IN).length > 0;
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[-_.]/g, '');
}

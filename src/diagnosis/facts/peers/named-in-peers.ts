/** Names the variable with the name of what a peer does not have, or does not allow: a bucket, a topic, a database, the audience of a token. Pure. */
import type { RankedFinding } from '../../finding.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { ofText, type Variable } from '../variables/environment.ts';
import { fieldOf, isPlain, type Setting } from '../configs/setting.ts';
import { hasWord, quotable } from '../words/text.ts';

/** What programs look for in a peer by a name that is theirs. */
const KINDS =
  /\b(bucket|topic|queue|vhost|exchange|database|index|collection|stream|keyspace|schema|repository|project|region|realm|tenant|audience|issuer)\b/gi;
const AFTER_KIND = new RegExp(`${KINDS.source}:? ["'\`]?([\\w.-]{2,80})`, 'gi');
const OF_PEER = /^(?:missing-data|not-allowed|exit-code|authentication-refused|fails-again)$/;
/** What is said of one that is not there, or not to be used. */
const IS_WRONG =
  /not (?:exist|found|known|allowed|permitted|authori[sz]ed)|n't (?:exist|find|found|know|match)|not match|mismatch|no such|unknown|missing|denied|invalid|No ?Such ?Object|NoSuch|NotFound|not_found|forbidden|\b40[34]\b/i;

/** The only variable named after the kind of thing that its peer does not have, where its value is not told. */
export function namedInPeer(container: ContainerFacts, { id, says }: RankedFinding): Setting | undefined {
  const line = container.reading.decisive?.line ?? '';
  if (!OF_PEER.test(id) || !IS_WRONG.test(line)) return undefined;
  const quoted = id === 'missing-data' ? quotedValue(container, line) : undefined;
  if (quoted !== undefined && !hasWord(says, quoted.name))
    return {
      says: `${quotable(quoted.value)} is of its variable ${quoted.name}${ofText(quoted)}`,
      quotes: [fieldOf(container, quoted, quoted.value)],
    };
  const base = entryWanted(container, line);
  if (base !== undefined && !hasWord(says, base.name))
    return {
      says: `its variable ${base.name}${ofText(base)} is ${JSON.stringify(quotable(base.value))}`,
      quotes: [fieldOf(container, base, base.value)],
    };
  const words = line.replaceAll(/([a-z])([A-Z])/g, '$1 $2');
  const kinds = [...new Set([...words.matchAll(KINDS)].map(([kind]) => kind.toUpperCase()))];
  const named = container.environment.filter(({ name }) => kinds.some((kind) => name.split('_').includes(kind)));
  const [only, ...more] = named;
  if (only === undefined || more.length > 0 || !isPlain(only)) return undefined;
  const { name, value } = only;
  if (hasWord(says, name)) return undefined;
  return hasWord(says, value)
    ? {
        says: `${quotable(value)} is of its variable ${name}${ofText(only)}`,
        quotes: [fieldOf(container, only, value)],
      }
    : {
        says: `its variable ${name}${ofText(only)} is ${JSON.stringify(quotable(value))}`,
        quotes: [fieldOf(container, only, value)],
      };
}

/** What servers of LDAP say of an entry that is not there, without its name. */
const NO_ENTRY = /\bno ?such ?object\b|\bLDAP_NO_SUCH_OBJECT\b/i;
/** "ou=people,dc=acme,dc=org" */
const ENTRY = /^(?:[a-z]{1,10}=[^,=]{1,80},){1,8}[a-z]{1,10}=[^,=]{1,80}$/i;

/** The only variable with the name of an entry, or the only one of them that says that it is one to search below. */
function entryWanted({ environment }: ContainerFacts, line: string): Variable | undefined {
  if (!NO_ENTRY.test(line)) return undefined;
  const entries = environment.filter((variable) => isPlain(variable) && ENTRY.test(variable.value));
  const bases = entries.filter(({ name }) => /BASE|SEARCH|SUFFIX|TREE/i.test(name));
  return bases.length === 1 ? bases[0] : entries.length === 1 ? entries[0] : undefined;
}

/** The only variable whose whole value the line has in quotation marks. */
function quotedValue({ environment }: ContainerFacts, line: string): Variable | undefined {
  const having = (words: readonly string[]): readonly Variable[] =>
    environment.filter((variable) => isPlain(variable) && words.includes(variable.value));
  // Of several names the one after its kind is the one that is not there: Unknown database 'shop'.
  const ofKind = having([...line.matchAll(AFTER_KIND)].flatMap(([, , word]) => word ?? []));
  const quoted = having([...line.matchAll(/["'`]([\w.-]{3,80})["'`]/g)].flatMap(([, word]) => word ?? []));
  const [only, ...more] = ofKind.length === 1 ? ofKind : quoted;
  return more.length === 0 ? only : undefined;
}

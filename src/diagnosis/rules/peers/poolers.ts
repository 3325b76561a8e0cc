/** Rule: a pooler between a program and its database does not get into the database; the program's own password has no part in it. */
import { anyOf, isOfPgBouncer } from '../../../log-analysis/index.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { endedByItself, type LastWord, lastWord, quoteLine, rankOfWord } from '../../facts/words/last-words.ts';
import { behindPeer, blameOfPeer, peerOfWord } from '../../facts/peers/peer-blame.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { peerText } from '../../facts/peers/spec-peers.ts';
import { quotable } from '../../facts/words/text.ts';
import type { RankedFinding } from '../../finding.ts';
import { eachContainer, type PodRule } from '../../rule.ts';
import { commandForLog, explainedEnd, saidBy, title } from '../ends/exit-code.ts';
import { isLateForReady } from '../probes/readiness.ts';

/** What PgBouncer, Pgpool-II, MaxScale and Odyssey tell their clients of their own login. */
const OWN_LOGIN = anyOf(
  /\bserver login (?:failed|has been failing)\b/i,
  /\bserver_login_retry\b/i,
  /\bauthentication (?:with|to|at) (?:the )?(?:backend|'[^']{1,60}') (?:server )?.{0,40}failed/i,
  /\bfailed to authenticate (?:with|to|at) (?:the )?backend\b/i,
  /\bbackend (?:authentication|login) failed\b/i,
);
/** What they tell of a database that they do not reach. */
const NOT_REACHED = anyOf(
  /\bpgbouncer cannot connect to server\b/i,
  /\bMax connect (?:timeout|failure\w*) .{0,20}while reaching hostgroup\b/i,
  /\bfailed to connect to remote server\b/i,
  /\ball backend nodes are down\b/i,
);
/** The words of the blame, by which what the pooler says itself is looked for. */
export const BEHIND_POOLER = 'does not get into the database behind it';
const OTHER_FORM =
  ' (its list of users holds another form of password than that wants, as an md5 hash where that wants SCRAM)';

/** Whether the line is about the login of the pooler, and not about that of the program. */
export function isOfPooler(line: string): boolean {
  return OWN_LOGIN.test(line) || NOT_REACHED.test(line);
}

/** Whether the container is such a pooler itself, as its log tells: then it is its own login that is refused. */
export function isItselfPooler({ lines }: Pick<ContainerFacts, 'lines'>): boolean {
  return lines.some((line) => isOfPgBouncer(line));
}

export const poolers: PodRule = eachContainer((facts, container) => {
  if (isItselfPooler(container)) return [];
  const unready = container.death === undefined && isLateForReady(facts, container);
  if (!unready && !endedByItself(container)) return [];
  const login = lastWord(container, OWN_LOGIN);
  const word = login ?? lastWord(container, NOT_REACHED);
  return word === undefined ? [] : [finding(facts, container, { word, isLogin: login !== undefined, unready })];
});

interface Told {
  readonly word: LastWord;
  readonly isLogin: boolean;
  readonly unready: boolean;
}

function finding(facts: PodFacts, container: ContainerFacts, { word, isLogin, unready }: Told): RankedFinding {
  const { decisive } = container.reading;
  const line = (decisive?.line === word.line ? saidBy(decisive) : quotable(word.line)).replace(/\.+$/, '');
  const peer = peerOfWord(container, word);
  const who = `its pooler${peer === undefined ? '' : ` ${peerText(peer)}`}`;
  const form = /wrong password type/i.test(word.line) ? OTHER_FORM : '';
  const behind = behindPeer(facts, container, word);
  const what = isLogin
    ? `the pooler's own login to the database behind it fails${form}, which no password of this container mends${behind}`
    : `the pooler does not reach the database behind it${behind}`;
  const blames = blameOfPeer(facts, container, word, BEHIND_POOLER);
  const told: RankedFinding = {
    ...explainedEnd(facts, container, {
      id: isLogin ? 'authentication-refused' : 'dependency-not-ready',
      rank: rankOfWord(88, word),
      says: `${title(container)} is told by ${who} that ${what}: ${line}`,
      line: word.line,
      try: [commandForLog(facts, container)],
    }),
    ...(blames && { blames }),
  };
  if (!unready) return told;
  return {
    ...told,
    severity: 'warning',
    topic: `ready/${container.name}`,
    evidence: [quoteLine(container, word.line)],
  };
}

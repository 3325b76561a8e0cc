/** Rule: a program refuses the certificate of its peer: which, why, and by whose clock. */
import { peerIn, urlPeers } from '../../../log-analysis/index.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import {
  endedByItself,
  type LastWord,
  lastWord,
  linesAround,
  quoteLine,
  rankOfWord,
} from '../../facts/words/last-words.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import {
  type CertificateFault,
  certificateFault,
  faultText,
  serverCertificate,
} from '../../facts/servers/server-certificates.ts';
import { serverOf } from '../../facts/servers/server-peers.ts';
import { onlyPeer } from '../../facts/peers/dependencies.ts';
import { environmentPeers, peerText, placeText } from '../../facts/peers/spec-peers.ts';
import { trustedText } from '../../facts/files/trusted-authorities.ts';
import { quotable } from '../../facts/words/text.ts';
import type { Quote, RankedFinding } from '../../finding.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { commandForLog, explainedEnd, saidBy, title } from '../ends/exit-code.ts';

type Fault = 'expired' | 'not-yet-valid' | 'wrong-name' | 'self-signed' | 'unknown-authority' | 'untrusted';

/** The order matters: the text of the particular fault often holds the words of the general one. */
const FAULTS: readonly (readonly [Fault, RegExp])[] = [
  [
    'not-yet-valid',
    /CertificateNotYetValid|CERT_NOT_YET_VALID|certificate is not (?:yet )?(?:valid|activated)(?: yet)?$|certificate\b.{0,60}\bnot yet valid\b(?!: current time \S+ is after)|not yet (?:been )?activated|x509: .*is before \d{4}-/i,
  ],
  [
    'expired',
    /CertificateExpired|CERT_HAS_EXPIRED|certificate (?:has |is )?expired|expired certificate|certificate expired|\bNotAfter:/i,
  ],
  [
    'wrong-name',
    /ALTNAME_INVALID|hostname ['"][^'"]{1,255}['"] doesn'?t match|does not match (?:certificate|host name|target host|hostname)|(?:no|certificate) (?:subject )?alternative (?:certificate subject )?(?:DNS |IP )?names?\b|No (?:subject alternative DNS )?name matching|hostname mismatch|certificate is not valid for|certificate is valid for .{1,200}, not |cannot validate certificate for|server certificate for .{1,200} does not match host name|x509: certificate is not valid for any names|relies on legacy Common Name/i,
  ],
  ['self-signed', /self[- ]?signed certificate|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT_IN_CHAIN/i],
  [
    'unknown-authority',
    /signed by unknown authority|unable to get (?:local )?issuer|UNABLE_TO_GET_ISSUER|unable to verify the first|UNABLE_TO_VERIFY|PKIX path building|valid certification path|unknown (?:ca|certificate authority|issuer)|UnknownIssuer|doesn't have a known issuer|trustAnchors parameter must be non-empty/i,
  ],
  [
    'untrusted',
    /certificate verify failed|x509: |PKIX path|certificate (?:of \S{1,255} )?is not trusted|SSL certificate problem|bad certificate\b|certificate (?:validation|verification) failed/i,
  ],
];
const ANY = new RegExp(FAULTS.map(([, { source }]) => source).join('|'), 'i');
/** A file of the program's own that is no certificate is another cause. */
const OWN_FILE =
  /malformed certificate|decryption password incorrect|private key does not match|failed to (?:find any PEM|parse certificate)/i;

const IDS: Readonly<Record<Fault, string>> = {
  expired: 'certificate-expired',
  'not-yet-valid': 'certificate-not-yet-valid',
  'wrong-name': 'certificate-wrong-name',
  'self-signed': 'certificate-not-trusted',
  'unknown-authority': 'certificate-not-trusted',
  untrusted: 'certificate-not-trusted',
};

const ofContainer: ContainerRule = (facts, container) => {
  if (!endedByItself(container) || [126, 127, 128].includes(container.death?.exitCode ?? 0)) return NOTHING;
  const word = lastWord(container, ANY);
  if (word === undefined || OWN_FILE.test(word.line)) return NOTHING;
  return [finding(facts, container, word)];
};

export const certificates: PodRule = eachContainer(ofContainer);

function finding(facts: PodFacts, container: ContainerFacts, word: LastWord): RankedFinding {
  const own = [word.line, ...(container.reading.decisive?.related ?? [])];
  const [spoken, line] = faultOf(own) ?? ['untrusted', word.line];
  const seen = spoken === 'untrusted' ? faultSeen(facts, container) : undefined;
  const fault = seen?.fault ?? spoken;
  const peer = peerOf(container, word);
  const { decisive } = container.reading;
  const said = decisive?.line === line ? saidBy(decisive) : quotable(line).replace(/\.+$/, '');
  const whose = peer === undefined ? 'its peer' : peer.text;
  return explainedEnd(facts, container, {
    id: IDS[fault],
    rank: rankOfWord(86, word),
    says: `${title(container)} refuses the certificate of ${whose}, ${seen?.says ?? meaning(facts, fault, own)}: ${said}${OF_TRUST.has(fault) ? trustedText(facts, container) : ''}`,
    line: word.line,
    more: [...(line === word.line ? [] : [quoteLine(container, line)]), ...(peer?.quotes ?? [])],
    try: commands(facts, container, fault),
  });
}

const SEEN: Readonly<Record<CertificateFault, Fault>> = {
  expired: 'expired',
  'not-yet-valid': 'not-yet-valid',
  'no-names': 'wrong-name',
  'wrong-name': 'wrong-name',
  'self-signed': 'self-signed',
};

/** What is wrong with the certificate of the server itself, where the words of the client do not say it. */
function faultSeen(
  { evidence }: PodFacts,
  container: ContainerFacts,
): { readonly fault: Fault; readonly says: string } | undefined {
  const service = serverOf(evidence, container);
  const facts = service?.server && serverCertificate(service.server)?.facts;
  const fault = service && facts && certificateFault(facts, service, evidence.now);
  return fault === undefined || facts === undefined ? undefined : { fault: SEEN[fault], says: faultText(facts, fault) };
}

/** Faults that another authority in the container's own files would mend. */
const OF_TRUST: ReadonlySet<Fault> = new Set(['self-signed', 'unknown-authority', 'untrusted']);

/** The fault that the most telling of the lines names, and this line. */
function faultOf(lines: readonly string[]): readonly [Fault, string] | undefined {
  for (const [fault, pattern] of FAULTS) {
    const line = lines.find((each) => pattern.test(each));
    if (line !== undefined) return [fault, line];
  }
  return undefined;
}

function meaning(facts: PodFacts, fault: Fault, lines: readonly string[]): string {
  const node = facts.pod.spec?.nodeName;
  const clock = node === undefined ? 'the clock of its node' : `the clock of node ${node}`;
  const limit = lines.flatMap((line) => limitIn(line, fault) ?? [])[0];
  const day = limit === undefined ? undefined : new Date(limit).toISOString().replace('.000Z', 'Z');
  switch (fault) {
    case 'expired':
      if (limit === undefined || day === undefined) return 'which has expired';
      return limit > facts.now ? `which is valid until ${day}, so ${clock} is ahead` : `which expired on ${day}`;
    case 'not-yet-valid':
      if (limit === undefined || day === undefined) return `which is not valid yet by ${clock}`;
      return limit <= facts.now
        ? `which is valid since ${day}, so ${clock} was behind`
        : `which is valid only from ${day} on`;
    case 'wrong-name':
      return lines.some((line) => /legacy Common Name/i.test(line))
        ? 'which has no subjectAltName, and names its host only in its Common Name'
        : 'which is made for another host name';
    case 'self-signed':
      return 'which is signed by itself and not by an authority that it knows';
    case 'unknown-authority':
      return 'whose authority it does not know';
    case 'untrusted':
      return 'which it does not trust';
  }
}

/** "is after 2021-01-01T00:00:00Z" of Go, "NotAfter: Fri Jan 01 00:00:00 UTC 2021" of Java; wall ms. */
function limitIn(line: string, fault: Fault): number | undefined {
  const text =
    fault === 'expired'
      ? (/is after (\d{4}-\d\d-\d\dT[\d:]+Z)/.exec(line)?.[1] ?? /NotAfter: (\w{3} .{10,30} \d{4})/.exec(line)?.[1])
      : (/is before (\d{4}-\d\d-\d\dT[\d:]+Z)/.exec(line)?.[1] ?? /NotBefore: (\w{3} .{10,30} \d{4})/.exec(line)?.[1]);
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

interface CertificatePeer {
  readonly text: string;
  readonly quotes: readonly Quote[];
}

/** The peer that the line or those around it name, else the only one with TLS in the environment. */
function peerOf(container: ContainerFacts, word: LastWord): CertificatePeer | undefined {
  for (const line of linesAround(container, word)) {
    const [url] = urlPeers(line);
    if (url !== undefined) return { text: peerText(url), quotes: [] };
    const { host, port } = peerIn(line);
    if (host !== undefined && port !== undefined) return { text: peerText({ host, port }), quotes: [] };
    const said =
      /(?:Host: |host name ["'‘]?|hostname ["'‘]|valid for ["']|validate certificate for |name matching |, not )([a-z0-9][\w.-]*[a-z0-9])/i.exec(
        line,
      )?.[1];
    if (said !== undefined && line === word.line) return { text: said, quotes: [] };
  }
  const secure = [...container.environment, ...container.secretVariables].filter(({ value }) =>
    /^(?:https|wss|rediss|amqps|ldaps|\w+\+ssl):/i.test(value),
  );
  const peers = environmentPeers(secure);
  const [only] = peers;
  if (only !== undefined && new Set(peers.map(peerText)).size === 1)
    return {
      text: peerText(only),
      quotes: [{ source: 'field', path: `${container.path}.${only.at}`, value: peerText(only) }],
    };
  const spoken = peers.length === 0 ? onlyPeer(container) : undefined;
  return spoken === undefined ? undefined : { text: `${peerText(spoken)} (${placeText(spoken)})`, quotes: [] };
}

function commands(facts: PodFacts, container: ContainerFacts, fault: Fault): readonly string[] {
  const node = facts.pod.spec?.nodeName;
  const ofClock = (fault === 'not-yet-valid' || fault === 'expired') && node !== undefined;
  return [commandForLog(facts, container), ...(ofClock ? [facts.commands.whyNode(node)] : []), ...facts.commands.edit];
}

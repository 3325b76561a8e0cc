/** Finds the settings of a server behind what it told another pod: a limit that is reached, a network that it does not know, its certificate. Pure. */
import { anyOf } from '../../../log-analysis/index.ts';
import type { Container } from '../../evidence/kinds.ts';
import type { ServerBehind, ServiceEvidence } from '../../evidence/pod-evidence.ts';
import { certificateMount } from '../files/certificate-mounts.ts';
import { configMapsOf } from '../configs/config-references.ts';
import { environmentOf, ofText } from '../variables/environment.ts';
import { nearSetting, type NamingText } from '../configs/near-settings.ts';
import { commandText } from '../peers/spec-peers.ts';
import { listed } from '../words/text.ts';

interface Complaint {
  /** What the server said. */
  readonly said: RegExp;
  /** The settings that it may mean, the likeliest first: each a name with "-" or "_" between its words. */
  readonly settings: readonly string[];
}

const COMPLAINTS: readonly Complaint[] = [
  { said: /database space exceeded|\bNOSPACE\b/, settings: ['quota-backend-bytes'] },
  {
    said: anyOf(
      /too many (?:connections|clients)|\(1040,/i,
      /(?:connection|client) (?:limit|slots)/i,
      /max(?:imum)? (?:number of )?(?:clients|connections)/i,
      /no more connections/i,
    ),
    settings: ['max_connections', 'maxclients', 'max_client_conn', 'max_user_connections', 'maxconn', 'max_conn'],
  },
  { said: /\bOOM command not allowed\b|used memory > 'maxmemory'/, settings: ['maxmemory'] },
  {
    said: anyOf(
      /\b(?:message|request|payload|packet|entity|body|record|frame)\b.{0,60}\b(?:too large|too big|larger than|exceeds?)\b/i,
      /\bMessageSizeTooLarge\b|\bRecordTooLarge|\bmax_allowed_packet\b|\bmaximum payload\b/i,
      /\b413\b.{0,40}(?:too large|entity)|Content Too Large/i,
      /\btoo (?:large|big) (?:an? )?(?:body|request|message|packet|payload|file|upload)\b|returned error: 413\b|\b413 Client Error|status(?: code)?[:= ]{1,2}413\b/i,
    ),
    settings: [
      'max_allowed_packet',
      'client_max_body_size',
      'max_payload',
      'message.max.bytes',
      'max_message_size',
      'max_message_bytes',
      'message_size_limit',
      'max_request_size',
      'max_body_size',
      'body_limit',
      'LimitRequestBody',
      'post_max_size',
    ],
  },
  {
    said: /access forbidden by rule|client denied by server configuration|(?:unauthorized|rejected|denied) (?:connection|client|access) from|proxying refused on filtered/i,
    settings: ['allow', 'deny', 'require', 'filter'],
  },
  {
    said: /relay(?:ing)? (?:access )?denied|relay not permitted/i,
    settings: ['mynetworks', 'relay_from_hosts', 'relay_domains'],
  },
  {
    said: /\bread[- ]?only\b|\bREADONLY\b/i,
    settings: [
      'super_read_only',
      'read_only',
      'default_transaction_read_only',
      'replica-read-only',
      'replicaof',
      'slaveof',
    ],
  },
  {
    said: /too many requests|\b429\b|rate limit|limiting requests/i,
    settings: ['limit_req', 'limit_req_zone', 'rate_limit', 'ratelimit', 'requests_per_second'],
  },
  {
    said: /\bblocked connection\b|\bconnection (?:was |is )?blocked\b|\bConnectionBlocked|\blow on (?:disk|memory)\b|\bresource limit alarm\b/i,
    settings: [
      'disk_free_limit.absolute',
      'disk_free_limit.relative',
      'disk_free_limit',
      'vm_memory_high_watermark.absolute',
      'vm_memory_high_watermark.relative',
      'vm_memory_high_watermark',
    ],
  },
  {
    said: /plaintext authentication (?:is )?disallowed|\bPRIVACYREQUIRED\b/i,
    settings: ['disable_plaintext_auth', 'auth_allow_cleartext', 'ssl'],
  },
  {
    said: /\b(?:lookup|query|resolv\w*|dns)\b.{0,120}\bREFUSED\b|\brcode[= ]REFUSED\b/i,
    settings: ['access-control', 'allow-query', 'allow-recursion', 'allow_query'],
  },
  { said: /server has gone away|packet bigger than|max_allowed_packet/i, settings: ['max_allowed_packet'] },
  { said: /\bNo master found for\b|\bNo such master with that name\b/i, settings: ['sentinel monitor'] },
  {
    said: /no required SSL certificate|certificate required|client certificate (?:is )?required/i,
    settings: [
      'ssl_verify_client',
      'tls-auth-clients',
      'ssl_ca_file',
      'client_auth',
      'SSLVerifyClient',
      'require_certificate',
    ],
  },
  { said: /\bITEM TOO BIG\b|\bobject too large for cache\b/i, settings: ['item_size_max', 'max-item-size', '-I'] },
  { said: /\bunknown command\b|command .{1,40} (?:is )?(?:disabled|not allowed)/i, settings: ['rename-command'] },
];
/** A rule for those who connect, which is a file of its own. */
const NO_RULE = /no pg_hba\.conf entry|pg_hba\.conf rejects/;
const OF_CERTIFICATE = /^certificate-/;
/** Values that tell no secret: sizes, numbers, networks, switches. */
const PLAIN_VALUE = /^(?:\d[\d.,/: ]{0,60}[kmgtb%]{0,3}|yes|no|on|off|true|false|unlimited)$/i;
/** Settings whose values are names and networks. */
const NAMES = /^(?:sentinel monitor|access-control|allow-query|allow-recursion)$/i;
const COMMENT = /^\s*(?:#|;|\/\/|--|!)/;
const MAX_LINES = 3000;

/** Whether a server's settings may tell more of these words. */
export function asksServer(lines: readonly string[], id = ''): boolean {
  return (
    OF_CERTIFICATE.test(id) ||
    lines.some(
      (line) =>
        NO_RULE.test(line) ||
        NO_DATABASE.test(line) ||
        MISSES.test(line) ||
        COMPLAINTS.some(({ said }) => said.test(line)),
    )
  );
}

/** Whether the words are a complaint of which a row says what settings it may mean. */
export function namesSetting(lines: readonly string[]): boolean {
  return lines.some((line) => COMPLAINTS.some(({ said }) => said.test(line)));
}

/** What a server says of a name that it does not have. */
const MISSES =
  /(?:unknown|no such|undefined|unrecogni[sz]ed) ["'\w]|["'\w] (?:not found|does(?:n't| not) exist|is not (?:known|defined))/i;

export interface ToldOfServer {
  readonly says: string;
  readonly object: string;
}

/** "deployment/db", "pod/db": what is edited for a server. */
export function serverObject({ owner, pod }: ServerBehind): string {
  return owner ?? `pod/${pod.metadata?.name ?? ''}`;
}

/** "deployment/db behind service db has max_connections = 10 (ConfigMap db-conf, key my.cnf, line 3)"; undefined: nothing of it fits. */
export function settingBehind(
  service: ServiceEvidence,
  lines: readonly string[],
  id: string,
): ToldOfServer | undefined {
  const { server } = service;
  if (server === undefined) return undefined;
  const object = serverObject(server);
  const who = `${object} behind service ${service.name}`;
  const has = OF_CERTIFICATE.test(id)
    ? certificateText(server)
    : (ruleText(server, lines) ?? databasesText(server, lines) ?? limitText(server, lines) ?? nearText(server, lines));
  return has === undefined ? undefined : { says: `${who} ${has}`, object };
}

function limitText(server: ServerBehind, lines: readonly string[]): string | undefined {
  const names = COMPLAINTS.filter(({ said }) => lines.some((line) => said.test(line))).flatMap((each) => each.settings);
  const places = placesOf(server);
  for (const name of names) {
    const words = name.split(/[-_. ]/).join('[-_. ]');
    const pattern = new RegExp(
      String.raw`(?:^|[\s"'.-])((?:\w{1,30}[._-])?${words})["']?(?:\s{0,4}[:=]\s{0,4}|\s{1,8})["']?([^\n"';]{1,80})`,
      'i',
    );
    for (const { at, text } of places) {
      const [, setting, value = ''] = pattern.exec(text) ?? [];
      if (setting === undefined) continue;
      const plain =
        value
          .trim()
          .split(/\s+(?=--|#)/)[0]
          ?.split(/\s(?=-)/)[0]
          ?.trim() ?? '';
      return `has ${setting}${PLAIN_VALUE.test(plain) || NAMES.test(setting) ? ` ${plain}` : ''} (${at})`;
    }
  }
  return undefined;
}

interface Place {
  readonly at: string;
  readonly text: string;
}

/** Its commands, its variables and the lines of its files. */
function placesOf({ pod, configs = [] }: ServerBehind): readonly Place[] {
  return (pod.spec?.containers ?? []).flatMap((spec) => {
    const environment = environmentOf(spec, configs);
    return [
      { at: 'its command', text: commandText(spec, environment) },
      ...environment.map((variable) => ({
        at: `its variable ${variable.name}${ofText(variable)}`,
        text: `${variable.name}=${variable.value.slice(0, 200)}`,
      })),
      ...filesOf({ pod, configs }, spec).flatMap(({ name, key, text }) =>
        text
          .split('\n')
          .slice(0, MAX_LINES)
          .flatMap((line, index): readonly Place[] =>
            COMMENT.test(line)
              ? []
              : [{ at: `ConfigMap ${name}, key ${key}, line ${index + 1}`, text: line.slice(0, 500) }],
          ),
      ),
    ];
  });
}

interface File {
  readonly name: string;
  readonly key: string;
  readonly text: string;
}

function filesOf({ pod, configs = [] }: Pick<ServerBehind, 'pod' | 'configs'>, spec: Container): readonly File[] {
  const used = new Set(configMapsOf(pod, [spec]).map(({ name }) => name));
  return configs
    .filter(({ kind, name }) => kind === 'ConfigMap' && used.has(name))
    .flatMap(({ name, texts = {} }) => Object.entries(texts).map(([key, text]) => ({ name, key, text })));
}

/** The file that lacks a rule for the one who connects. */
function ruleText(server: ServerBehind, lines: readonly string[]): string | undefined {
  if (!lines.some((line) => NO_RULE.test(line))) return undefined;
  const all = (server.pod.spec?.containers ?? []).flatMap((spec) => filesOf(server, spec));
  const file = all.find(({ key }) => /pg_hba/.test(key));
  return file === undefined ? undefined : `has its rules of ConfigMap ${file.name}, key ${file.key}`;
}

/** What a pooler says of a database that it does not pass on. */
const NO_DATABASE = /\bno such database:? "?[\w-]{1,63}/i;
const MAX_DATABASES = 4;

/** The databases that a pooler knows instead. */
function databasesText(server: ServerBehind, lines: readonly string[]): string | undefined {
  if (!lines.some((line) => NO_DATABASE.test(line))) return undefined;
  const files = (server.pod.spec?.containers ?? []).flatMap((spec) => filesOf(server, spec));
  for (const { name, key, text } of files) {
    const own = text.split('\n').slice(0, MAX_LINES);
    const from = own.findIndex((line) => /^\s*\[databases\]/i.test(line));
    if (from === -1) continue;
    const after = own.slice(from + 1);
    const end = after.findIndex((line) => /^\s*\[/.test(line));
    const section = end === -1 ? after : after.slice(0, end);
    const known = section.flatMap((line) => /^\s*([\w*.-]{1,63})\s*=/.exec(line)?.[1] ?? []);
    if (known.length === 0 || known.length > MAX_DATABASES) continue;
    return `has ${known.length === 1 ? 'the database' : 'the databases'} ${listed(known)} (ConfigMap ${name}, key ${key}, line ${from + 2})`;
  }
  return undefined;
}

/** The name that its files define instead. */
function nearText(server: ServerBehind, lines: readonly string[]): string | undefined {
  const files = (server.pod.spec?.containers ?? []).flatMap((spec) => filesOf(server, spec));
  const texts = files.map(
    ({ name, key, text }): NamingText => ({ says: `ConfigMap ${name}, key ${key}`, text, isList: false }),
  );
  for (const line of lines) {
    const near = nearSetting(line, texts);
    if (near !== undefined) return `has ${near.name} instead (${near.from.says}, line ${near.line})`;
  }
  return undefined;
}

/** The Secret that it has its certificate from. */
function certificateText({ pod }: ServerBehind): string | undefined {
  const found = certificateMount(pod, pod.spec?.containers ?? []);
  return found === undefined ? undefined : `has its certificate of Secret ${found.secret}, at ${found.mountPath}`;
}

/** Tells why a pod that is ready refuses those who come through its service: it listens where nobody else reaches it. Pure. */
import type { Container } from '../../evidence/kinds.ts';
import type { ConfigEvidence, ServerBehind, ServiceEvidence } from '../../evidence/pod-evidence.ts';
import type { Quote } from '../../finding.ts';
import { environmentOf } from '../variables/environment.ts';
import { listeningText, placeText } from '../probes/listening.ts';
import { commandText } from '../peers/spec-peers.ts';
import { usedBy } from '../configs/config-references.ts';

/** Where the port of the service leads; without a port its only target. */
export function targetOfPort({ targets = [] }: ServiceEvidence, port: number | undefined): number | undefined {
  const found = [
    ...new Set(targets.filter((each) => port === undefined || each.port === port).map(({ target }) => target)),
  ];
  return found.length === 1 ? found[0] : undefined;
}

/** ": its port leads to port 8080 of pod api-1, which listens on 127.0.0.1:8080 only (its variable LISTEN_ADDR)"; empty: it does not. */
export function listensInsideText(service: ServiceEvidence, port: number | undefined): string {
  const { server } = service;
  const target = targetOfPort(service, port);
  const inside = server?.listening?.find((each) => each.port === target);
  if (server === undefined || inside?.loopback === undefined) return '';
  const name = server.pod.metadata?.name ?? '';
  return `: service ${service.name} leads to port ${inside.port} of pod ${name}, which listens on ${placeText(inside)}, where no other pod reaches it${settingText(server, inside.container, inside.port)}`;
}

/** Where a pod behind the service listens, as its node sees it. */
export function listeningBehind({ server }: ServiceEvidence): readonly Quote[] {
  if (server?.listening === undefined) return [];
  const object = `pod/${server.pod.metadata?.name ?? ''}`;
  return [{ source: 'object', object, says: `listens on ${listeningText(server.listening)}` }];
}

const LOOPBACK = String.raw`(?:127\.0\.0\.1|localhost|\[?::1\]?)`;
const VALUE = new RegExp(String.raw`^(?:\w+:\/\/)?${LOOPBACK}(?::(\d{1,5}))?\/?$`, 'i');
/** Names of what says where a server listens. */
const LISTENS = /listen|bind|addr|host|interface|serve|\bhttp\b|url|ip$/i;
const OPTION = new RegExp(
  String.raw`(?:^|\s)(--?[\w.-]{1,60})[= ]["']?((?:\w+:\/\/)?${LOOPBACK}(?::\d{1,5})?)(?=["'\s]|$)`,
  'gi',
);
const SHORT_OPTIONS = /^-[bHlai]$/;
const LINE = new RegExp(String.raw`(?:listen|bind|addr|host|interface)\w*["']?[\s:=]{1,4}.{0,40}${LOOPBACK}`, 'i');
const COMMENT = /^\s*(?:#|;|\/\/|--)/;

/** " (its variable LISTEN_ADDR)", of what makes it listen there. */
function settingText({ pod, configs = [] }: ServerBehind, container: string | undefined, port: number): string {
  const all = pod.spec?.containers ?? [];
  const spec = all.find(({ name }) => name === container) ?? (all.length === 1 ? all[0] : undefined);
  if (spec === undefined) return '';
  const isOf = (named: string | undefined): boolean => named === undefined || Number(named) === port;
  const environment = environmentOf(spec, configs);
  const variable = environment.find(({ name, value }) => {
    const match = VALUE.exec(value.trim());
    return match !== null && LISTENS.test(name) && isOf(match[1]);
  });
  if (variable !== undefined)
    return ` (its variable ${variable.name}${variable.of === undefined ? '' : ` of ${variable.of}`})`;
  for (const [, option = '', value = ''] of commandText(spec, environment).matchAll(OPTION)) {
    const isMeant = LISTENS.test(option) || SHORT_OPTIONS.test(option);
    if (isMeant && isOf(VALUE.exec(value)?.[1])) return ` (its ${option} ${value})`;
  }
  return lineText(pod, spec, configs) || defaultText(pod, spec, configs);
}

/** Programs that listen only on loopback, until a setting says otherwise. */
const BY_DEFAULT: readonly { readonly program: RegExp; readonly setting: string }[] = [
  { program: /\bmosquitto\b/, setting: 'listener' },
  { program: /\bpostgres\b|\bpostmaster\b/, setting: 'listen_addresses' },
  { program: /\buvicorn\b|\bflask\b.{0,100}\brun\b|\bng serve\b|\bvite\b|\bnext dev\b/, setting: '--host' },
  { program: /\bgunicorn\b|\bhypercorn\b/, setting: '--bind' },
  { program: /\bredis-server\b|\bvalkey-server\b/, setting: 'bind' },
  { program: /\bmysqld\b|\bmariadbd\b/, setting: 'bind-address' },
  { program: /\bmongod\b/, setting: 'bindIp' },
];

/** " (it has no listener, without which it listens only there; ConfigMap mqtt-conf, key mosquitto.conf)" */
function defaultText(pod: ServerBehind['pod'], spec: Container, configs: readonly ConfigEvidence[]): string {
  const command = commandText(spec, environmentOf(spec, configs));
  const found = BY_DEFAULT.find(({ program }) => program.test(command));
  if (found === undefined) return '';
  const files = usedBy(pod, spec)
    .filter(({ kind, asVariable }) => kind === 'ConfigMap' && !asVariable)
    .flatMap(({ name }) =>
      Object.keys(configs.find((each) => each.kind === 'ConfigMap' && each.name === name)?.texts ?? {}).map(
        (key) => `ConfigMap ${name}, key ${key}`,
      ),
    );
  const [only, ...more] = files.filter((file) => command.includes(file.slice(file.lastIndexOf(' ') + 1)));
  return ` (it has no ${found.setting}, without which it listens only there${only === undefined || more.length > 0 ? '' : `; ${only}`})`;
}

/** The line of a file that it has of a ConfigMap. */
function lineText(pod: ServerBehind['pod'], spec: Container, configs: readonly ConfigEvidence[]): string {
  const used = usedBy(pod, spec).filter(({ kind, asVariable }) => kind === 'ConfigMap' && !asVariable);
  for (const { name } of used) {
    const config = configs.find((each) => each.kind === 'ConfigMap' && each.name === name);
    for (const [key, text] of Object.entries(config?.texts ?? {})) {
      const line = text.split('\n').findIndex((each) => LINE.test(each.slice(0, 300)) && !COMMENT.test(each));
      if (line !== -1) return ` (ConfigMap ${name}, key ${key}, line ${line + 1})`;
    }
  }
  return '';
}

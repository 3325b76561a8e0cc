/** Finds a URL that has the scheme of one server and the usual port of another. Pure. */
import type { RankedFinding } from '../../finding.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { ofText } from '../variables/environment.ts';
import { fieldOf, type Setting } from '../configs/setting.ts';

/** By the schemes of URLs, and by usual ports. */
const PROTOCOLS: Readonly<Record<string, string>> = {
  postgres: 'PostgreSQL',
  postgresql: 'PostgreSQL',
  mysql: 'MySQL',
  mariadb: 'MySQL',
  redis: 'Redis',
  rediss: 'Redis',
  amqp: 'AMQP',
  amqps: 'AMQP',
  mongodb: 'MongoDB',
  memcached: 'memcached',
  http: 'HTTP',
  https: 'HTTP',
  mqtt: 'MQTT',
  nats: 'NATS',
};
const OF_PORTS: Readonly<Record<number, string>> = {
  80: 'HTTP',
  443: 'HTTP',
  3000: 'HTTP',
  8000: 'HTTP',
  8080: 'HTTP',
  8443: 'HTTP',
  3306: 'MySQL',
  5432: 'PostgreSQL',
  6379: 'Redis',
  5672: 'AMQP',
  15672: 'HTTP',
  27017: 'MongoDB',
  11211: 'memcached',
  1883: 'MQTT',
  4222: 'NATS',
  9092: 'Kafka',
  2181: 'ZooKeeper',
};
const SCHEME = /^([a-z][a-z0-9]{1,20})(?:\+[a-z0-9]{1,20})?:\/\/(?:[^\s/@]{0,200}@)?[\w.-]{1,253}:(\d{2,5})\b/i;
/** What is said of a peer that does not answer as it should. */
const MISFITS =
  /protocol|handshake|packet|unexpected|invalid (?:response|reply|data|type)|bad (?:request|response|reply)|malformed|closed|reset|lost connection|timed out|timeout|EOF\b/i;

/** The only variable whose URL has the scheme of one server and the usual port of another. */
export function otherProtocol(container: ContainerFacts, { id, says }: RankedFinding): Setting | undefined {
  const line = container.reading.decisive?.line ?? '';
  if (!/^(?:dependency-(?:closes|times-out)|exit-code|malformed-config)$/.test(id) || !MISFITS.test(line))
    return undefined;
  const found = container.environment.flatMap((variable) => {
    const [, scheme = '', port = ''] = SCHEME.exec(variable.value) ?? [];
    const asked = PROTOCOLS[scheme.toLowerCase()];
    const usual = OF_PORTS[Number(port)];
    return asked === undefined || usual === undefined || asked === usual ? [] : [{ variable, asked, usual, port }];
  });
  const [only, ...more] = found;
  if (only === undefined || more.length > 0 || says.includes('by its protocol')) return undefined;
  const { variable, asked, usual, port } = only;
  return {
    says: `its variable ${variable.name}${ofText(variable)} asks ${asked} by its protocol at port ${port}, which is usually that of ${usual}`,
    quotes: [fieldOf(container, variable, `${asked} at port ${port}`)],
  };
}

/** Finds how much memory the settings of servers allow them: caches, buffers and heaps of files, commands and variables. Pure. */
import type { Quote } from '../../finding.ts';
import { configFiles } from '../configs/config-files.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { MIB } from '../pod/memory.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { commandText, placeText } from '../peers/spec-peers.ts';

export interface MemorySetting {
  /** "maxmemory 512mb" */
  readonly says: string;
  readonly bytes: number;
  /** "line 1 of /etc/redis/redis.conf, of ConfigMap cache", "its command", "its variable CACHE_SIZE" */
  readonly at: string;
  readonly quote: Quote;
}

const KIB = 1024;
const UNITS: Readonly<Record<string, number>> = { k: KIB, m: MIB, g: KIB * MIB, t: MIB * MIB };

/** A setting, and what a number without a unit counts, bytes. */
const SETTINGS: readonly (readonly [pattern: RegExp, unit: number])[] = [
  // Redis, Valkey, KeyDB
  [named('maxmemory'), 1],
  // MySQL, MariaDB
  [named('innodb[_-]buffer[_-]pool[_-]size'), 1],
  [named('(?:key|aria[_-]pagecache)[_-]buffer[_-]size'), 1],
  // PostgreSQL counts pages of 8 KiB
  [named('shared_buffers'), 8 * KIB],
  // MongoDB
  [named('(?:wiredTiger)?cacheSizeGB'), KIB * MIB],
  // RabbitMQ, NATS, InfluxDB, ClickHouse, squid
  [named(String.raw`vm_memory_high_watermark\.absolute`), 1],
  [named('max_mem(?:ory)?_store'), 1],
  [named('cache-max-memory-size'), 1],
  [named('max_server_memory_usage'), 1],
  [named('cache_mem'), MIB],
  [named(String.raw`memory\.allowedBytes`), 1],
  // Go
  [named('GOMEMLIMIT'), 1],
  // PHP
  [named('memory_limit'), 1],
  // Varnish
  [/(?:^|\s)((?:-s )?(?:\w{1,20}=)?malloc,(\d{1,12}(?:\.\d{1,3})?)([kmgt]?)b?)(?=[\s"']|$)/i, 1],
  // A JVM's, Node.js', in files
  [/(?:^|[\s"'=])(-Xmx(\d{1,12})([kmgt]?))(?=[\s"']|$)/i, 1],
  [/(?:^|[\s"'=])(--max[-_]old[-_]space[-_]size[= ](\d{1,12})())(?=[\s"']|$)/i, MIB],
];
/** "-m 1024" of memcached's command. */
const OF_MEMCACHED = /\bmemcached\b[^;|&]{0,200}\s((?:-m ?|--memory-limit[= ])(\d{1,8})())(?=\s|$)/;
const COMMENT = /^\s*(?:#|;|\/\/|!)/;
const MAX_LINES = 3000;

/** "maxmemory 512mb", "shared_buffers = '1GB'", "--innodb-buffer-pool-size=2G", '"maxmemory": "1gb"' */
function named(name: string): RegExp {
  return new RegExp(
    String.raw`(?:^|[\s"'.<_-])((?:${name})["']?(?:[ \t]*[:=>][ \t]*|[ \t]{1,8})["']?(\d{1,15}(?:\.\d{1,3})?) ?([kmgt]?)(?:i?b)?)(?=[\s"',;<]|$)`,
    'i',
  );
}

/** The setting that allows most. */
export function largestMemorySetting(facts: PodFacts, container: ContainerFacts): MemorySetting | undefined {
  const { spec, environment, path } = container;
  const command = commandText(spec, environment);
  const ofCommand = settingsIn(command, [...SETTINGS, [OF_MEMCACHED, MIB]]).map((each): MemorySetting => {
    return { ...each, at: 'its command', quote: { source: 'field', path: `${path}.command`, value: each.says } };
  });
  const ofVariables = environment.flatMap((variable) =>
    settingsIn(`${variable.name}=${variable.value.slice(0, 1000)}`).map((each): MemorySetting => {
      // The whole variable may be the setting, of which its name has more words.
      const [own = '', value] = each.says.split('=');
      const isWhole = value !== undefined && variable.name.endsWith(own);
      const says = isWhole ? `${variable.name}=${value}` : each.says;
      const quote: Quote = { source: 'field', path: `${path}.${variable.at}`, value: says };
      return { says, bytes: each.bytes, at: `its ${placeText(variable)}`, quote };
    }),
  );
  const all = [...ofCommand, ...ofVariables, ...ofFiles(facts, container)];
  return all.toSorted((a, b) => b.bytes - a.bytes)[0];
}

function ofFiles(facts: PodFacts, container: ContainerFacts): readonly MemorySetting[] {
  return configFiles(facts, container).flatMap(({ file, origin }) => {
    const { config, key = '' } = origin ?? {};
    const known = facts.evidence.configs.find(({ kind, name }) => kind === config?.kind && name === config.name);
    const lines = (known?.texts?.[key] ?? '').split('\n').slice(0, MAX_LINES);
    return lines.flatMap((line, index) =>
      COMMENT.test(line) || config === undefined
        ? []
        : settingsIn(line.slice(0, 500)).map((each): MemorySetting => {
            const of = `${config.kind} ${config.name}`;
            const quote: Quote = {
              source: 'field',
              of: `${config.kind.toLowerCase()}/${config.name}`,
              path: `data[${key}], line ${index + 1}`,
              value: each.says,
            };
            return { ...each, at: `line ${index + 1} of ${file}, of ${of}`, quote };
          }),
    );
  });
}

function settingsIn(text: string, settings = SETTINGS): readonly Pick<MemorySetting, 'says' | 'bytes'>[] {
  return settings.flatMap(([pattern, plain]) => {
    const [, says, number, unit = ''] = pattern.exec(text) ?? [];
    if (says === undefined || number === undefined) return [];
    const bytes = Number(number) * (UNITS[unit.toLowerCase()] ?? plain);
    return [{ says: says.replaceAll(/["']/g, '').trim(), bytes }];
  });
}

/** Healthy programs of the fifth batch that is held out: errors that were overcome, mistakes of clients, peers that are away. */
import type { Trial } from '../trial.ts';
import { bun, deno, railsBase, sidekiq, spring } from './fifth-apps.ts';
import {
  clamd,
  clickhouse,
  freeradius,
  h2o,
  jetty,
  kamailio,
  monit,
  mysqldExporter,
  postgresExporter,
  redisExporter,
  sentinel,
  syslogNg,
  zabbix,
} from './fifth-servers.ts';
import { curl, garbage, well } from './healthy-trial.ts';

const QUIET = ['quiet', 'true'] as const;
const http = (port: number): readonly (readonly [string, string])[] => [
  QUIET,
  ['garbage', garbage(port)],
  ['missing-page', `${curl(`http://127.0.0.1:${port}/none`)}; ${curl(`http://127.0.0.1:${port}/`)}`],
];

export const FIFTH_HEALTHY: readonly Trial[] = [
  ...well(clickhouse, 6, [
    ...http(8123),
    [
      'bad-query',
      "curl -s 'http://127.0.0.1:8123/?query=SELECT+nonsense'; curl -s 'http://127.0.0.1:8123/?query=SELECT+1'",
    ],
  ]),
  ...well(jetty, 8, http(8080)),
  ...well(freeradius, 3, [QUIET, ['garbage', "printf 'nonsense' | nc -u -w1 127.0.0.1 1812"]]),
  ...well(syslogNg, 2, [
    QUIET,
    ['client-leaves', 'nc -z 127.0.0.1 5514; echo "<11>app: error: cannot reach db" | nc -w1 127.0.0.1 5514'],
  ]),
  ...well(clamd, 3, [QUIET, ['garbage', garbage(3310)]]),
  ...well(postgresExporter, 2, [
    ...http(9187),
    ['database-away', `${curl('http://127.0.0.1:9187/metrics')}; ${curl('http://127.0.0.1:9187/metrics')}`],
  ]),
  ...well(mysqldExporter, 2, [
    QUIET,
    ['database-away', `${curl('http://127.0.0.1:9104/metrics')}; ${curl('http://127.0.0.1:9104/metrics')}`],
  ]),
  ...well(redisExporter, 2, [
    QUIET,
    ['redis-away', `${curl('http://127.0.0.1:9121/metrics')}; ${curl('http://127.0.0.1:9121/metrics')}`],
  ]),
  ...well(zabbix, 3, [QUIET, ['garbage', garbage(10050)]]),
  ...well(kamailio, 2, [QUIET, ['garbage', "printf 'nonsense' | nc -u -w1 127.0.0.1 5060"]]),
  ...well(h2o, 2, http(8080)),
  ...well(monit, 3, [QUIET, ['garbage', garbage(2812)]]),
  ...well(sentinel, 3, [QUIET, ['garbage', garbage(26379)]]),
  ...well(spring, 6, [QUIET]),
  ...well(railsBase, 8, [
    ...http(3000),
    ['raises', `${curl('http://127.0.0.1:3000/broken')}; ${curl('http://127.0.0.1:3000/')}`],
  ]),
  ...well({ ...sidekiq, before: 'redis-server --port 6379 --daemonize yes; sleep 0.5' }, 6, [
    QUIET,
    ['job-fails', "ruby -r sidekiq -r /app/jobs.rb -e 'PriceJob.perform_async(17)'; sleep 3"],
  ]),
  ...well(bun, 2, [
    ...http(8080),
    ['throws', `${curl('http://127.0.0.1:8080/broken')}; ${curl('http://127.0.0.1:8080/')}`],
  ]),
  ...well(deno, 2, [
    ...http(8080),
    ['throws', `${curl('http://127.0.0.1:8080/broken')}; ${curl('http://127.0.0.1:8080/')}`],
  ]),
];

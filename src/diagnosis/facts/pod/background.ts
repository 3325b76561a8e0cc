/** Knows programs that go to the background, after which their container ends, and how they are kept in the foreground. Pure. */
import type { ContainerFacts } from './container-facts.ts';

interface Server {
  /** The program's name. */
  readonly name: RegExp;
  /** The arguments with which it goes to the background; absent: it does so by itself. */
  readonly background?: RegExp;
  /** The arguments with which a program that goes to the background by itself does not. */
  readonly foreground?: RegExp;
  readonly advice: string;
  /** Its configuration may send it to the background, too. */
  readonly byConfig?: true;
}

const SERVERS: readonly Server[] = [
  { name: /^(?:nginx|openresty|tengine)$/, foreground: /daemon\s+off/, advice: 'nginx -g "daemon off;"' },
  {
    name: /^(?:apachectl|apache2ctl)$/,
    foreground: /FOREGROUND/,
    advice: '-D FOREGROUND',
  },
  { name: /^(?:apache2|httpd)$/, foreground: /FOREGROUND|-X\b/, advice: '-D FOREGROUND' },
  {
    name: /^(?:redis|valkey|keydb)-(?:server|sentinel)$/,
    background: /--daemonize\s+["']?yes/,
    advice: 'without daemonize yes',
    byConfig: true,
  },
  { name: /^sshd$/, foreground: /(?:^|\s)-\w*D/, advice: 'sshd -D -e' },
  { name: /^crond?$/, foreground: /(?:^|\s)-\w*[fn]/, advice: 'cron -f' },
  { name: /^php-fpm[\d.]*$/, foreground: /(?:^|\s)-\w*F|--nodaemonize/, advice: 'php-fpm -F' },
  { name: /^haproxy$/, background: /(?:^|\s)-\w*D\b/, advice: 'with -db, and without -D and daemon', byConfig: true },
  { name: /^memcached$/, background: /(?:^|\s)-\w*d\b|--daemon/, advice: 'without -d' },
  { name: /^(?:mysqld|mariadbd)$/, background: /--daemonize/, advice: 'without --daemonize' },
  { name: /^mongod$/, background: /--fork/, advice: 'without fork', byConfig: true },
  { name: /^pg_ctl(?:cluster)?$/, background: /\b(?:re)?start\b/, advice: 'postgres -D FOLDER' },
  { name: /^supervisord$/, foreground: /(?:^|\s)-n\b|--nodaemon/, advice: 'supervisord -n, or nodaemon=true' },
  { name: /^rsyslogd$/, foreground: /(?:^|\s)-\w*n/, advice: 'rsyslogd -n' },
  { name: /^syslog-ng$/, foreground: /(?:^|\s)-\w*F|--foreground/, advice: 'syslog-ng -F' },
  { name: /^dnsmasq$/, foreground: /(?:^|\s)-\w*[kd]\b|--(?:keep-in-foreground|no-daemon)/, advice: 'dnsmasq -k' },
  { name: /^named$/, foreground: /(?:^|\s)-\w*[fg]\b/, advice: 'named -f' },
  { name: /^unbound$/, foreground: /(?:^|\s)-\w*d/, advice: 'unbound -d' },
  { name: /^squid$/, foreground: /(?:^|\s)-\w*N|--foreground/, advice: 'squid -N' },
  { name: /^varnishd$/, foreground: /(?:^|\s)-\w*[FCd]/, advice: 'varnishd -F' },
  { name: /^mosquitto$/, background: /(?:^|\s)-\w*d\b|--daemon/, advice: 'without -d' },
  { name: /^rabbitmq-server$/, background: /-detached/, advice: 'without -detached' },
  { name: /^pgbouncer$/, background: /(?:^|\s)-\w*d\b|--daemon/, advice: 'without -d' },
  { name: /^caddy$/, background: /\bstart\b/, advice: 'caddy run' },
  { name: /^gunicorn$/, background: /(?:^|\s)-D\b|--daemon/, advice: 'without --daemon' },
  { name: /^uwsgi$/, background: /--daemonize|(?:^|\s)-d\b/, advice: 'without daemonize', byConfig: true },
  { name: /^(?:unicorn|thin)$/, background: /(?:^|\s)-[Dd]\b|--daemon/, advice: 'without --daemon' },
  { name: /^celery$/, background: /\bmulti\b|--detach/, advice: 'celery worker without --detach' },
  {
    name: /^pm2$/,
    background: /\b(?:start|restart|resurrect)\b/,
    foreground: /--no-daemon/,
    advice: 'pm2-runtime start',
  },
  { name: /^forever$/, background: /\bstart\b/, advice: 'node itself' },
  { name: /^(?:catalina\.sh)$/, background: /\bstart\b/, advice: 'catalina.sh run' },
  { name: /^startup\.sh$/, advice: 'catalina.sh run' },
  { name: /^(?:jetty\.sh|zkServer\.sh)$/, background: /\bstart\b(?!-)/, advice: 'start-foreground or run' },
  { name: /^(?:kafka|zookeeper|connect)[\w-]*\.sh$/, background: /-daemon\b/, advice: 'without -daemon' },
  {
    name: /^(?:elasticsearch|opensearch|logstash)$/,
    background: /(?:^|\s)-d\b|--daemonize/,
    advice: 'without -d',
  },
  { name: /^cassandra$/, foreground: /(?:^|\s)-f\b/, advice: 'cassandra -f' },
  { name: /^exim4?$/, background: /(?:^|\s)-bd\b/, advice: '-bdf' },
  { name: /^postfix$/, background: /\bstart\b(?!-)/, advice: 'postfix start-fg' },
  { name: /^dovecot$/, foreground: /(?:^|\s)-F/, advice: 'dovecot -F' },
  { name: /^slapd$/, foreground: /(?:^|\s)-d\s?\w/, advice: 'slapd -d 0' },
  { name: /^vsftpd$/, background: /background=yes/i, advice: '-obackground=NO' },
  { name: /^proftpd$/, foreground: /(?:^|\s)-n\b|--nodaemon/, advice: '--nodaemon' },
  { name: /^lighttpd$/, foreground: /(?:^|\s)-\w*D/, advice: 'lighttpd -D' },
  { name: /^keepalived$/, foreground: /(?:^|\s)-\w*n|--dont-fork/, advice: 'keepalived -n' },
  { name: /^(?:chronyd|ntpd)$/, foreground: /(?:^|\s)-\w*[dn]/, advice: '-d' },
  { name: /^openvpn$/, background: /--daemon/, advice: 'without --daemon' },
  { name: /^(?:fluentd|td-agent)$/, background: /(?:^|\s)-d\b|--daemon/, advice: 'without --daemon' },
  { name: /^snmpd$/, foreground: /(?:^|\s)-\w*f/, advice: 'snmpd -f' },
  { name: /^zabbix_(?:server|agentd?|proxy)$/, foreground: /(?:^|\s)-f\b|--foreground/, advice: '-f' },
  { name: /^monit$/, foreground: /(?:^|\s)-\w*I/, advice: 'monit -I' },
  { name: /^bird6?$/, foreground: /(?:^|\s)-\w*[fd]/, advice: 'bird -f' },
];

export interface Background {
  readonly name: string;
  /** The rest of a sentence, after "start it in the foreground": " (sshd -D -e)". */
  readonly advice: string;
}

/** Words that only call what follows. */
const PREFIX =
  /^(?:sudo|exec|env|nohup|setsid|command|time|nice|(?:su-exec|gosu|chpst)\s+\S+|tini\s+--|tini|dumb-init|[A-Z_]\w*=\S*)\s+/;

/**
 * The program of a container that goes to the background, by its command; undefined: none that is known.
 *
 * @param script the text of the script that the command runs; absent: it runs none, or nobody has it
 */
export function backgroundProgram(container: ContainerFacts, script?: string): Background | undefined {
  const calls = script === undefined ? callsOf(container) : callsIn(script);
  for (const call of calls.toReversed()) {
    const isLeft = /[^&]&\s*$/.test(` ${call}`);
    const words = stripped(call.replace(/&\s*$/, ''));
    const [program = '', ...rest] = words.split(/\s+/);
    const name =
      program
        .replace(/^["']|["']$/g, '')
        .split('/')
        .at(-1) ?? '';
    const args = rest.join(' ');
    const service = serviceStart(program, name, rest);
    if (service !== undefined) return { name: service, advice: ' itself instead of its start script' };
    const [server] = SERVERS.filter((each) => each.name.test(name));
    if (server !== undefined && server.foreground?.test(args) !== true) {
      if (server.background?.test(args) ?? true) return { name, advice: ` (${server.advice})` };
      if (server.byConfig === true && /\.(?:conf|cfg|ini|ya?ml)\b|--ini\b/.test(args))
        return { name, advice: ` (${server.advice}, also in its configuration)` };
    }
    if (isLeft && name !== '') return { name, advice: ', without & after it, or wait for it' };
    if (name !== '' && !SETTLES.test(name)) return undefined;
  }
  return undefined;
}

/** Commands that may stand behind the one that matters. */
const SETTLES = /^(?:echo|printf|true|:|sleep|fi|done|esac|touch|disown)$/;

function stripped(call: string): string {
  let text = call.trim();
  for (let again = 0; again < 5 && PREFIX.test(text); again++) text = text.replace(PREFIX, '');
  return text;
}

/** "service nginx start", "/etc/init.d/nginx start", "systemctl start nginx": the name of the service. */
function serviceStart(program: string, name: string, [first, second]: readonly string[]): string | undefined {
  const starts = /^(?:re)?start$/;
  if (name === 'service' && starts.test(second ?? '')) return first;
  if (program.includes('/init.d/') && starts.test(first ?? '')) return name;
  return name === 'systemctl' && starts.test(first ?? '') ? second : undefined;
}

/** The commands of its command line: those of a shell's script, or the one that is called itself. */
function callsOf({ spec }: ContainerFacts): readonly string[] {
  const words = [...(spec.command ?? []), ...(spec.args ?? [])];
  const at = words.findIndex(
    (word, index) => /^-\w*c$/.test(word) && /(?:^|\/)(?:ba|da|a|k|z)?sh$/.test(words[index - 1] ?? ''),
  );
  if (at === -1) return [words.join(' ')];
  return callsIn((words[at + 1] ?? '').slice(0, 4000));
}

function callsIn(script: string): readonly string[] {
  return script
    .split(/&&|\|\||[;\n]|(?<=[^&>]&)(?![&>\d])/)
    .map((call) => call.trim())
    .filter((call) => call !== '' && !call.startsWith('#'));
}

/** Rule: a client looks for its server at a socket of its own container, because it has no host for it, or the host is localhost. */
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { variablesThatAre } from '../../facts/variables/empty-values.ts';
import { endedByItself, type LastWord, lastWord, rankOfWord } from '../../facts/words/last-words.ts';
import { volumeOf } from '../../facts/files/mounts.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { commandText } from '../../facts/peers/spec-peers.ts';
import { listed } from '../../facts/words/text.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { commandForLog, explainedEnd, title } from '../ends/exit-code.ts';

interface Server {
  readonly name: string;
  /** The path of its usual socket. */
  readonly socket: RegExp;
  /** The program, by which a container that runs the server itself is known. */
  readonly program: RegExp;
  /** The names of its usual images. */
  readonly image: RegExp;
  /** Its clients take the socket for the name localhost, too. */
  readonly localhostIsSocket?: true;
}

const SERVERS: readonly Server[] = [
  {
    name: 'PostgreSQL',
    socket: /\/[\w./-]{1,200}\/\.s\.PGSQL\.\d+/,
    program: /postgres(?!ql:)|postmaster|pg_ctl/i,
    image: /^(?:postgres(?:ql)?|postgis|timescaledb)$/,
  },
  {
    name: 'MySQL',
    socket: /\/[\w./-]{1,200}\/(?:mysqld?|mysqlx|mariadbd?)\.sock/,
    program: /mysqld|mariadbd/i,
    image: /^(?:mysql(?:-server)?|mariadb|percona)$/,
    localhostIsSocket: true,
  },
  {
    name: 'Redis',
    socket: /\/[\w./-]{1,200}\/(?:redis|valkey)[\w-]{0,40}\.sock/,
    program: /redis-server|valkey-server/i,
    image: /^(?:redis|valkey)$/,
  },
  { name: 'MongoDB', socket: /\/[\w./-]{1,200}\/mongodb-\d+\.sock/, program: /\bmongod\b/i, image: /^mongo(?:db)?$/ },
];
const ANY_SOCKET = new RegExp(SERVERS.map(({ socket }) => `(?:${socket.source})`).join('|'));
const IS_ABSENT =
  /no such file|does not exist|not found|ENOENT|connection refused|ECONNREFUSED|\(2\b|\(111\b|can't connect|could not connect|cannot connect/i;
/** Names of variables that say where a server is. */
const SAYS_WHERE = /HOST|ADDR|SERVER|URL|URI|DSN|ENDPOINT|SOCKET/i;
const MAX_TOLD = 3;

interface LookedFor {
  readonly server: Server;
  readonly socket: string;
  readonly word: LastWord;
}

/** The socket that a container did not find, and that nothing of its specification means. */
export function socketLookedFor(facts: PodFacts, container: ContainerFacts): LookedFor | undefined {
  if (!endedByItself(container)) return undefined;
  const word = lastWord(container, ANY_SOCKET);
  const socket = word?.match[0];
  const server = SERVERS.find((each) => socket !== undefined && each.socket.test(socket));
  if (word === undefined || socket === undefined || server === undefined || !IS_ABSENT.test(word.line))
    return undefined;
  const folder = socket.slice(0, socket.lastIndexOf('/'));
  const { spec } = container;
  const isMeant =
    volumeOf(facts, container, socket) !== undefined ||
    commandText(spec).includes(folder) ||
    (spec.env ?? []).some(({ value = '' }) => value.includes(folder));
  const runsIt = server.program.test(commandText(spec)) || server.image.test(imageName(spec.image));
  return isMeant || runsIt ? undefined : { server, socket, word };
}

const ofContainer: ContainerRule = (facts, container) => {
  const found = socketLookedFor(facts, container);
  if (found === undefined) return NOTHING;
  const { server, socket, word } = found;
  const { says, quotes } = whyText(facts, container, server);
  return [
    explainedEnd(facts, container, {
      id: 'missing-setting',
      rank: rankOfWord(88, word),
      says: `${title(container)} looks for ${server.name} in its own container (socket ${socket})${says}`,
      line: word.line,
      more: quotes,
      try: [...facts.commands.edit, commandForLog(facts, container)],
    }),
  ];
};

export const localSocket: PodRule = eachContainer(ofContainer);

/** "postgres:16", "registry.example/library/mysql": the image's own name. */
function imageName(image = ''): string {
  return (
    image
      .replace(/[@:][^/]*$/, '')
      .split('/')
      .at(-1) ?? ''
  );
}

function whyText(facts: PodFacts, container: ContainerFacts, server: Server) {
  const empty = variablesThatAre('empty', facts, container).filter(({ name }) => SAYS_WHERE.test(name));
  const told = empty.slice(0, MAX_TOLD);
  if (told.length > 0) {
    const names = listed(told.map(({ name, of }) => `${name}${of}`));
    const which = told.length === 1 ? `its variable ${names} is empty` : `its variables ${names} are empty`;
    return { says: `, as it has no host for it: ${which}`, quotes: told.map(({ quote }) => quote) };
  }
  if (server.localhostIsSocket !== true) return { says: ', as it has no host for it', quotes: [] };
  const [local] = variablesThatAre('localhost', facts, container);
  if (local === undefined)
    return { says: ', as it has no host for it, or localhost, for which its client takes the socket', quotes: [] };
  const says = `, as its variable ${local.name}${local.of} is localhost, for which its client takes the socket`;
  return { says, quotes: [local.quote] };
}

/** Lists the users that a server has by a file of its ConfigMaps, for one that it does not let in. Pure. */
import type { ServerBehind } from '../../evidence/pod-evidence.ts';
import { listed } from '../words/text.ts';

/** Files with a user and a password, or its hash, in each line. */
const USER_FILE = /passwd|passwords|^users?(?:list)?(?:\.txt|\.conf|\.lst)?$|pwfile|userlist/i;
/** A file of another name may hold the password itself, unless its lines have hashes. */
const MAY_BE_USER_FILE = /password/i;
const HASHED = /^[\w.@+-]{1,64}:[${]/;
/** "telemetry:$7$101$…", '"app" "md5…"' */
const USER_LINE = /^"?([\w.@+-]{1,64})"?(?::|[ \t]{1,8}")\S/;
const COMMENT = /^\s*(?:#|;|$)/;
const MAX_TOLD = 4;
const MAX_LINES = 500;

/**
 * "has only the user telemetry (ConfigMap mosquitto-files, key passwd)"; undefined: it has no such file, or the user is in it.
 *
 * @param asked the user who was refused; absent: it is not known
 */
export function usersText(server: ServerBehind, asked: string | undefined): string | undefined {
  const { configs = [] } = server;
  for (const { kind, name, texts = {} } of configs) {
    if (kind !== 'ConfigMap') continue;
    for (const [key, text] of Object.entries(texts)) {
      const lines = linesOf(key, text);
      const users = lines.slice(0, MAX_LINES).flatMap((line) => USER_LINE.exec(line)?.[1] ?? []);
      if (users.length === 0 || users.length < lines.length || users.length > MAX_TOLD) continue;
      if (asked !== undefined && users.includes(asked)) return undefined;
      return `has only the user${users.length === 1 ? '' : 's'} ${listed(users)} (ConfigMap ${name}, key ${key})`;
    }
  }
  return secretText(server);
}

/** The lines of a file of users; none of another file. */
function linesOf(key: string, text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => !COMMENT.test(line));
  const isFile = USER_FILE.test(key) || (MAY_BE_USER_FILE.test(key) && lines.every((line) => HASHED.test(line)));
  return isFile ? lines : [];
}

/** Settings that name the file of users. */
const USER_SETTING =
  /^[ \t]{0,20}(?:auth_file|password_file|passwd_file|users?_file|AuthUserFile|auth_basic_user_file|basic_auth_users_file)["']?[ \t:=]{1,8}["']?(\/[\w@%+.,/-]{1,300})/im;

/** "has its users of Secret pgbouncer-users (/etc/pgb/userlist.txt)": their passwords may be older or newer than what is shown. */
function secretText({ pod, configs = [] }: ServerBehind): string | undefined {
  const texts = [
    ...configs.flatMap(({ kind, texts: all = {} }) => (kind === 'ConfigMap' ? Object.values(all) : [])),
    ...(pod.spec?.containers ?? []).map(({ command = [], args = [] }) => [...command, ...args].join('\n')),
  ];
  const file = texts.flatMap((text) => USER_SETTING.exec(text)?.[1] ?? [])[0];
  if (file === undefined) return undefined;
  const mounts = (pod.spec?.containers ?? []).flatMap(({ volumeMounts = [] }) => volumeMounts);
  const [mount] = mounts
    .filter(({ mountPath }) => file === mountPath || file.startsWith(`${mountPath.replace(/\/+$/, '')}/`))
    .toSorted((a, b) => b.mountPath.length - a.mountPath.length);
  const secret = pod.spec?.volumes?.find(({ name }) => name === mount?.name)?.secret?.secretName;
  return secret === undefined ? undefined : `has its users of Secret ${secret} (${file})`;
}

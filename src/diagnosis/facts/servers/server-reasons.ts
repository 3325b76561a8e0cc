/** Finds in a server's own log why it refuses a user, of which it tells the client less. Pure. */
import { anyOf, maskSecrets } from '../../../log-analysis/index.ts';
import { quotable } from '../words/text.ts';

/** What servers log of a login that they refuse, in their own words; the first group is the sentence. */
const OF_USER: readonly RegExp[] = [
  /\b(no such user: \S{1,64})/i,
  /\b((?:Role|User) ["'][^"']{1,64}["'] (?:does not exist|has no password assigned|has an expired password|has a password that cannot be used[^.]{0,60}))/i,
  /\b(Password does not match for user ["'][^"']{1,64}["'])/i,
  /\b(user '[^']{1,64}' - (?:invalid credentials|no credentials[^"]{0,40}|can only connect via localhost))/i,
];
/** What a server of SSH says of a login, on its own line between those that name the client. */
const OF_SSH = anyOf(
  /^Authentication refused: .{1,200}/,
  /\bUser \S{1,64} from \S{1,100} not allowed because .{1,150}/,
  /\bInvalid user \S{1,64}(?= from)/,
  /\bUser \S{1,64} not allowed because .{1,100}/,
  /\bCould not open (?:user '\S{1,64}' )?authorized keys\b.{0,200}/,
  /\bAuthorizedKeysCommand \S{1,200} failed.{0,100}/,
);
/** What concerns all users. */
const OF_ALL =
  /((?:could not|cannot|unable to|failed to) (?:open|read|load) (?:auth_file|the user list|user file|password file)\b.{0,160})/i;
/** Lines of the end that are looked at. */
const LINES = 120;

/**
 * The last such sentence, secrets masked; undefined: there is none about this user.
 *
 * @param user the user whom the server refuses; absent: the client does not say
 */
export function refusalReason(lines: readonly string[], user: string | undefined): string | undefined {
  const late = lines.slice(-LINES).toReversed();
  for (const line of late) {
    const own = OF_USER.flatMap((pattern) => pattern.exec(line)?.[1] ?? []);
    const said =
      own.find((each) => user === undefined || each.includes(user)) ?? OF_ALL.exec(line)?.[1] ?? OF_SSH.exec(line)?.[0];
    if (said !== undefined) return quotable(maskSecrets(said)).replace(/\.+$/, '');
  }
  return undefined;
}

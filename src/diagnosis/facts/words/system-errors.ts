/** Tells whether what a program says of its errand ends with what the system said, which is the cause: "login failed: no such file: …". Pure. */
import { anyOf } from '../../../log-analysis/index.ts';

/** Words of the system, of its resolver and of TLS. A peer may say "permission denied", too, but not of a path. */
const OF_SYSTEM = anyOf(
  /no such file or directory/i,
  /\bENOENT\b/i,
  /\[Errno \d+\]/i,
  /\b(?:EACCES|EPERM|EROFS|ENOSPC|EISDIR|EADDRINUSE|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)\b/i,
  /\/\S{1,300}['"]?: (?:permission denied|operation not permitted|is a directory)/i,
  /(?:permission denied|operation not permitted|is a directory):? ['"(]?\/\S/i,
  /no space left on device/i,
  /read-only file system/i,
  /address already in use/i,
  /connection refused/i,
  /no such host\b/i,
  /name or service not known|temporary failure in name resolution/i,
  /x509: |certificate (?:has expired|is not yet valid|verify failed)|self[- ]signed certificate/i,
);

/** A server of SSH says it of all the ways by which it lets somebody in: no file is refused. */
export const REFUSED_BY_SSH =
  /permission denied \((?:publickey|password|keyboard-interactive|gssapi|hostbased)[\w,-]{0,80}\)/i;

/** Whether words of the system follow the match in its line, so that they are the cause of what it matched. */
export function isCausedBySystem(line: string, match: Pick<RegExpExecArray, 'index' | 0>): boolean {
  return OF_SYSTEM.test(line.slice(match.index + match[0].length));
}

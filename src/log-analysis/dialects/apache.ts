/** Apache: AH codes; the advice of ServerName and "Unable to open logs" follow from others. */
import { anyOf } from '../any-of.ts';
import type { Dialect } from './dialect.ts';

/** What a directory answered, above the line that only says that there is no such user. */
const OF_DIRECTORY = /AH0169[5-9]: auth_ldap .{1,300}\]\[(?!User not found|Invalid credentials)[^\]]{1,200}\]/;

export const apache: Dialect = {
  name: 'apache',
  recognises: /\bAH\d{5}\b|^(?:apache2|httpd)(?:ctl)?: |\[(?:core|mpm_\w+|ssl|proxy\w*|authz\w*|rewrite):/,
  noise: anyOf(
    /AH0055[78]/,
    /Could not reliably determine the server's/,
    /^The Apache error log may have/,
    /^Action '.*' failed\.?$/,
    /AH00016/,
    /no listening sockets available, shutting down$/,
    /AH00094/,
    /AH00491/,
    /AH00051: child/,
    /AH02312: Fatal error initialising mod_ssl, exiting/,
  ),
  consequence:
    /AH00015: Unable to open logs|AH00451|AH00013: Pre-configuration failed|AH00020: Configuration Failed|AH00014: Configuration check failed/,
  recovery: /AH00(?:489|163).*resuming normal operations|configured -- resuming normal/,
  request: /^\[client |AH(?:01071|00124|00128|01630|00112|01114|00957|00959|01102)\b|, referer: /,
  decisive: anyOf(
    OF_DIRECTORY,
    /AH00526|^AH00072|Syntax error on line \d+|^Invalid command|AH0(?:0072|0111|0544|0543|2561|2577|0534|1573|2572|2203|0060)\b/,
  ),
};

/** Redis and Valkey: "#" marks warnings; the banner and advice about the machine never decide. */
import type { Dialect } from './dialect.ts';

export const redis: Dialect = {
  name: 'redis',
  recognises:
    /\b(?:Redis|Valkey)(?: version=| is starting| \d)|oO0OoO0OoO0Oo|\bReady to accept connections|FATAL CONFIG FILE ERROR|REDIS CONFIG|^\d+:[MCSX] \d/,
  noise:
    /overcommit_memory|Transparent Huge Pages|TCP backlog setting|Redis is now ready to exit|bye bye|User requested shutdown|no config file specified|^>>> ?'|^=== (?:REDIS|VALKEY) BUG|^Reading the configuration file|^Configuration loaded|^monotonic clock|^Running mode=|^_+|maxclients |open file limit|Increased maximum|^Received SIGTERM|^-{6,}|^\*\*\* FATAL CONFIG|^Please restart|^Server can't set maximum open files|^Current maximum open files/,
  consequence:
    /^Failed listening on port|^Configuring server|^Fatal error loading the DB.*Exiting|^Terminating on signal/,
  recovery: /Ready to accept connections|MASTER <-> (?:REPLICA|SLAVE) sync: Finished/,
  request: /^Possible SECURITY ATTACK|^Client .* (?:closed|scheduled)|^Error (?:reading from|writing to) client/,
  context: /^>>> '(.+)'$/,
  decisive:
    /^Fatal error, can't open config file|^Failed to load certificate|^argument must|^Could not create server TCP|^Warning: Could not create|^Bad file format|^Bad directive|^wrong number of arguments|^Invalid |^Can't (?:open|handle|chdir|save)|^Unexpected end of file|^Out Of Memory allocating|^Failed to configure|^Unrecoverable error|^Short read or OOM/,
};

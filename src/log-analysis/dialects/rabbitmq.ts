/** RabbitMQ and Erlang: the sentence below "BOOT FAILED" decides; crash reports and dumps repeat it as terms. */
import { anyOf } from '../any-of.ts';
import type { Dialect } from './dialect.ts';

export const rabbitmq: Dialect = {
  name: 'rabbitmq',
  recognises:
    /\brabbit(?:mq)?\b|BOOT FAILED|"?init terminating in do_boot|=(?:ERROR|CRASH|SUPERVISOR) REPORT====|Crash dump is being written/i,
  noise: anyOf(
    /^BOOT FAILED/i,
    /^[["{<]/i,
    /^(?!Error during startup: ).*,$/i,
    /^=+$/i,
    /^#+/i,
    /^Crash dump is being written/i,
    /^init terminating in do_boot/i,
    /^Kernel pid terminated/i,
    /^(?:crasher|initial call|supervisor|offender|started|pid|registered_name|ancestors|message_queue_len|messages|links|dictionary|trap_exit|status|heap_size|stack_size|reductions|neighbours|errorContext|reason|id|mfargs|mfa|restart_type|significant|shutdown|child_type):(?: |$)/i,
    /^\[?\{/i,
    /^[\w@-]+:[\w/-]+\/\d, line \d+/i,
    /^exception (?:exit|error)/i,
    /^Starting broker/i,
    /^(?:Doc guides|Support|Tutorials|Monitoring|Logs|Config file)/i,
    /^Erlang:/i,
    /^TLS Library/i,
    /^RabbitMQ \d/i,
    /^Copyright/i,
    /^Licensed under/i,
    /^in function/i,
    /^\(file /i,
  ),
  consequence:
    /^Error during startup: (?!\{error,$)|application rabbit exited|Failed to start Ranch listener.*\{|supervisor .* started with|^Application \w+ exited/,
  recovery: /Server startup complete|completed with \d+ plugins/,
  request:
    /closing AMQP connection|^Error on AMQP connection|HTTP access denied|^PLAIN login refused|^Channel error on connection/,
  decisive: anyOf(
    /^(?:Error: |ERROR: )/,
    /^Error during startup: \{error,$/,
    /could not bind to distribution port/,
    /Cookie file \S+ must be/,
    /mnesia_not_running/,
    /schema_integrity_check/,
    /Failed to (?:create|load|read|parse|prepare)/,
    /Conf file attempted/,
    /not a valid/,
    /eaddrinuse/,
    /port \d+ in use/,
  ),
};

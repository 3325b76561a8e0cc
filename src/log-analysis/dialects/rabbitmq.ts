/** RabbitMQ and Erlang: the sentence below "BOOT FAILED" decides; crash reports and dumps repeat it as terms. */
import type { Dialect } from './dialect.ts';

export const rabbitmq: Dialect = {
  name: 'rabbitmq',
  recognises:
    /\brabbit(?:mq)?\b|BOOT FAILED|"?init terminating in do_boot|=(?:ERROR|CRASH|SUPERVISOR) REPORT====|Crash dump is being written/i,
  noise:
    /^BOOT FAILED|^[["{<]|,$|^=+$|^#+|^Crash dump is being written|^init terminating in do_boot|^Kernel pid terminated|^(?:crasher|initial call|supervisor|offender|started|pid|registered_name|ancestors|message_queue_len|messages|links|dictionary|trap_exit|status|heap_size|stack_size|reductions|neighbours|errorContext|reason|id|mfargs|mfa|restart_type|significant|shutdown|child_type):(?: |$)|^\[?\{|^[\w@-]+:[\w/-]+\/\d, line \d+|^exception (?:exit|error)|^Starting broker|^(?:Doc guides|Support|Tutorials|Monitoring|Logs|Config file)|^Erlang:|^TLS Library|^RabbitMQ \d|^Copyright|^Licensed under|^in function|^\(file /i,
  consequence:
    /^Error during startup: |application rabbit exited|Failed to start Ranch listener.*\{|supervisor .* started with|^Application \w+ exited/,
  recovery: /Server startup complete|completed with \d+ plugins/,
  request:
    /closing AMQP connection|^Error on AMQP connection|HTTP access denied|^PLAIN login refused|^Channel error on connection/,
  decisive:
    /^(?:Error: |ERROR: )|could not bind to distribution port|Cookie file \S+ must be|mnesia_not_running|schema_integrity_check|Failed to (?:create|load|read|parse|prepare)|Conf file attempted|not a valid|eaddrinuse|port \d+ in use/,
};

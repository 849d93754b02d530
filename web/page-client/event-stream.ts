/**
 * Parses server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). Reads only the field
 * `data`. The package eventsource-parser is not used, because it needs more than half of a part's size limit.
 *
 * @param onData called with the data of each event
 * @returns a function that takes the next piece of the stream. A piece can begin and end anywhere
 */
export function createEventStreamParser(onData: (data: string) => void): (text: string) => void {
  let rest = '';
  let data: string[] = [];
  return (text) => {
    // A carriage return at the end can be the first half of a line end.
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
      if (line !== '' || data.length === 0) continue;
      onData(data.join('\n'));
      data = [];
    }
  };
}

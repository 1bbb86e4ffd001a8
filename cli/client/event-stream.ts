export interface ServerEvent {
  id: string;
  event: string;
  data: string;
}

/** Server-sent events of a response, as the HTML standard parses them (section 9.2.6). */
export async function* readEvents(response: Response): AsyncGenerator<ServerEvent> {
  let rest = '';
  let event = { id: '', event: 'message', data: '' };
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop()!;
    for (const line of lines) {
      if (line === '') {
        if (event.data) yield { ...event, data: event.data.slice(0, -1) };
        event = { id: event.id, event: 'message', data: '' };
        continue;
      }
      const [, field, value] = /^([^:]*):? ?(.*)$/s.exec(line)!;
      if (field === 'data') event.data += `${value}\n`;
      else if (field === 'id' || field === 'event') event[field] = value;
    }
  }
}

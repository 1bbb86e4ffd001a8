import { type Fixture, text } from '../fixture.ts';
import { png, wav } from '../media.ts';

/** Every kind of content that a result can carry, and none. */
export const contents: Record<string, Fixture> = {
  test_simple_text: {
    description: 'Answers with a text.',
    call: () => text('This is a simple text response for testing.'),
  },
  test_image_content: {
    description: 'Answers with a picture.',
    call: () => ({ content: [{ type: 'image', data: png, mimeType: 'image/png' }] }),
  },
  test_audio_content: {
    description: 'Answers with a sound.',
    call: () => ({ content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] }),
  },
  test_embedded_resource: {
    description: 'Answers with a resource inside.',
    call: () => ({
      content: [
        {
          type: 'resource',
          resource: {
            uri: 'test://embedded-resource',
            mimeType: 'text/plain',
            text: 'This is an embedded resource content.',
          },
        },
      ],
    }),
  },
  test_multiple_content_types: {
    description: 'Answers with a text, a picture and a resource.',
    call: () => ({
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        { type: 'image', data: png, mimeType: 'image/png' },
        {
          type: 'resource',
          resource: {
            uri: 'test://mixed-content-resource',
            mimeType: 'application/json',
            text: JSON.stringify({ test: 'data', value: 123 }),
          },
        },
      ],
    }),
  },
  test_error_handling: {
    description: 'Fails, each time.',
    call: () => {
      throw new Error('This tool intentionally returns an error for testing');
    },
  },
};

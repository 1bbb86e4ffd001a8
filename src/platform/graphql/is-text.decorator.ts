import { buildMessage, IsString, Length, ValidateBy } from 'class-validator';
import { applyDecorators } from '@nestjs/common';
import { unprintableCharacter } from '../http/form-text.js';

/** One line of text that can be stored and shown, with something besides blanks. */
export const IsText = (longest: number) =>
  applyDecorators(
    IsString(),
    Length(1, longest),
    ValidateBy({
      name: 'isText',
      validator: {
        validate: (value) => typeof value === 'string' && /\S/.test(value) && !unprintableCharacter.test(value),
        defaultMessage: buildMessage((each) => `${each}$property has to be one line of text that can be shown`),
      },
    }),
  );

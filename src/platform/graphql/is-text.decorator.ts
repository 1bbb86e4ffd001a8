import { buildMessage, IsString, Length, ValidateBy } from 'class-validator';
import { applyDecorators } from '@nestjs/common';
import { unprintableCharacter } from '../http/form-text.js';

/** One line of printable text that is not blank. */
export const IsText = (maxLength: number) =>
  applyDecorators(
    IsString(),
    Length(1, maxLength),
    ValidateBy({
      name: 'isText',
      validator: {
        validate: (value) => typeof value === 'string' && /\S/.test(value) && !unprintableCharacter.test(value),
        defaultMessage: buildMessage((each) => `${each}$property must be one line of printable text`),
      },
    }),
  );

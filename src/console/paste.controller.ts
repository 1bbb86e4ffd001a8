import { Controller, Get, Header } from '@nestjs/common';
import { Public } from '../principal/allow.decorator.js';
import { pasteScript } from './paste.js';

/** Public: a static script. */
@Controller('assets/paste.js')
@Public()
export class PasteController {
  @Get()
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @Header('Cache-Control', 'public, max-age=86400')
  script() {
    return pasteScript.content;
  }
}

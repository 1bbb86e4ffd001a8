import { Controller, Get, Redirect } from '@nestjs/common';
import { Public } from '../principal/allow.decorator.js';

/** Redirects the root path to the console, which requires sign-in. */
@Controller()
@Public()
export class RootRedirectController {
  @Get()
  @Redirect('/console', 302)
  redirectToConsole() {}
}

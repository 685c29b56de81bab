// Let scripts in node import modules of the pages from the package: there the reader lies beside them, on a
// site one folder up.
import { register } from "node:module";

const hook = `export const resolve = (name, context, next) =>
  next(context.parentURL?.includes("/web/static/") ? name.replace(/^[.][.][/]reader[/]/, "./reader/") : name, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);

package dev.headrace.report;

/** The page's script: nicer tooltips, and everything unfolded on paper. */
final class PageScript {
  private PageScript() {}

  static final String CODE =
      """
      (function () {
        'use strict';
        var box = document.createElement('div');
        box.className = 'tooltip';
        box.setAttribute('role', 'tooltip');
        box.hidden = true;
        document.body.appendChild(box);
        var tips = new WeakMap();
        document.querySelectorAll('.tip').forEach(function (part) {
          var title = part.querySelector('title');
          if (!title) return;
          tips.set(part, title.textContent);
          part.setAttribute('aria-label', title.textContent);
          title.remove();
        });
        function hide() { box.hidden = true; }
        function show(event) {
          var part = event.target.closest ? event.target.closest('.tip') : null;
          var text = part && tips.get(part);
          if (!text) { hide(); return; }
          box.textContent = text;
          box.hidden = false;
          var x = Math.min(event.clientX + 14, window.innerWidth - box.offsetWidth - 8);
          var y = event.clientY + 16;
          if (y + box.offsetHeight > window.innerHeight - 8) y = event.clientY - box.offsetHeight - 12;
          box.style.left = Math.max(8, x) + 'px';
          box.style.top = Math.max(8, y) + 'px';
        }
        document.addEventListener('mousemove', show);
        document.addEventListener('click', show);
        document.addEventListener('scroll', hide, true);
        window.addEventListener('beforeprint', function () {
          document.querySelectorAll('details').forEach(function (part) { part.open = true; });
        });
      })();
      """;
}
